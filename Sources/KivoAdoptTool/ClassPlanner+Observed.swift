import KivoSourceModel

/// Plans for classes that are no models and have `@objc dynamic` properties: they conform to `KeyValueObservable`, and their
/// properties are `@Observed`.
extension ClassPlanner {
    /// The members of `NSObject` that classes of their own do not have.
    private static let objectMembers: Set<String> = [
        "conforms", "copy", "debugDescription", "description", "forwardingTarget", "hash", "isEqual",
        "isKind",
        "isMember", "mutableCopy", "perform", "responds",
    ]
    /// The class functions that `KeyValueObservable` has instead of `NSObject`, with their default declarations.
    private static let rules = [
        "keyPathsForValuesAffectingValue":
            "class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }",
        "automaticallyNotifiesObservers":
            "class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }",
        "computedProperties": "class func computedProperties() -> [String: AnyKeyPath] { [:] }",
    ]
    /// The methods that `KeyValueObservable` has instead of `NSObject`.
    private static let coding: Set<String> = [
        "dictionaryWithValues", "mutableArrayValue", "mutableSetValue", "setNilValueForKey", "setValue",
        "setValuesForKeys", "value",
    ]

    func observedPlans(_ classes: [TypeDeclaration]) -> [ClassPlan] {
        let roots = classes.filter { program.superclass(of: $0) == nil && program.model(of: $0) == nil }
        return roots.flatMap { root in
            var hierarchy = [root]
            var next = 0
            while next < hierarchy.count {
                hierarchy += classes.filter { program.superclass(of: $0) === hierarchy[next] }
                next += 1
            }
            let observed = hierarchy.filter { type in
                type.properties.contains { isDynamic($0, in: type) && !$0.isStatic }
            }
            return observed.isEmpty ? [] : plans(of: hierarchy, observed)
        }
    }

    /// Returns the plans for a root class and all that derive from it, of which some have observed properties.
    private func plans(of hierarchy: [TypeDeclaration], _ observed: [TypeDeclaration]) -> [ClassPlan] {
        let plans = hierarchy.map { ClassPlan($0, .cocoa) }
        let root = plans[0]
        let type = root.type
        let foreign = type.inherited.first.flatMap { program.foreignName(of: $0, in: type.outer) }
        if let foreign, !ObservableClass.isPlainAncestor(foreign) {
            for type in observed {
                root.obstruct(
                    type.nameOffset,
                    "class '\(type.name)' is left as it is: if '\(foreign)' exists outside of Apple's platforms, make '\(root.type.name)' a KeyValueObservable, and declare the properties '@Observed'"
                )
            }
            root.leftOvers = root.obstacles
            return [root]
        }
        let reason = foreign == "NSObject" ? reasonForNSObject(hierarchy) : nil
        root.conformances = ["KeyValueObservable"]
        root.losesSuperclass = foreign == "NSObject" && reason == nil
        if let reason {
            root.leave(
                type.nameOffset,
                "class '\(type.name)' stays derived from NSObject, as \(reason): on Apple's platforms NSObject has observing of its own, to which these properties say nothing"
            )
        }
        for plan in plans {
            planObservedProperties(plan)
            planRequirements(plan, root)
            listObjectiveCFunctions(plan)
        }
        let named = plans.filter { !$0.computed.isEmpty }
        for plan in named where plan !== root { plan.overridesComputed = true }
        if named.contains(where: { $0 !== root }), root.computed.isEmpty {
            declare("computedProperties", in: root)
        }
        return plans
    }

    /// Returns why a hierarchy needs `NSObject`, or nil if it does not.
    private func reasonForNSObject(_ hierarchy: [TypeDeclaration]) -> String? {
        for type in hierarchy {
            let overridden =
                type.functions.filter { $0.has("override") && !$0.isStatic }.map(\.name)
                + type.properties.filter { $0.attribute("override") != nil }.map(\.name)
            if let name = overridden.first(where: Self.objectMembers.contains) {
                return "'\(type.name)' overrides its '\(name)'"
            }
            for file in files {
                for index in file.source.tokens.indices where isHashed(type, at: index, file.source) {
                    return "'\(type.name)' is in a set or a dictionary's key"
                }
            }
        }
        return nil
    }

    /// Whether a class is named at a token as the member of a set or as the key of a dictionary.
    private func isHashed(_ type: TypeDeclaration, at index: Int, _ source: SourceText) -> Bool {
        guard source.tokens[index].kind == .word, source.name(of: source.tokens[index]) == type.name else {
            return false
        }
        if source.matches(index - 1, "<"), source.matches(index - 2, "Set") { return true }
        return source.matches(index - 1, "[") && source.matches(index + 1, ":")
    }

    private func planObservedProperties(_ plan: ClassPlan) {
        let type = plan.type
        for property in type.properties where !property.isStatic {
            let isDynamic = isDynamic(property, in: type)
            guard isDynamic || property.attribute("objc") != nil else { continue }
            var decision = ClassPlan.Property.Decision.plain
            var suffix: String?
            if property.isComputed {
                if isDynamic, property.attribute("override") == nil { plan.computed.append(property.name) }
            } else if ["weak", "unowned", "lazy", "override"].contains(where: {
                property.attribute($0) != nil
            }) {
                plan.leave(
                    property.nameOffset,
                    "'\(type.name).\(property.name)' is weak, lazy or an override, and cannot be observed any more"
                )
            } else if isDynamic {
                decision = .observed
                if case .optional? = property.type, property.value == nil, let range = property.typeRange {
                    suffix = ": \(type.source.text(range)) = nil"
                }
            }
            plan.properties.append(
                ClassPlan.Property(declaration: property, decision: decision, suffix: suffix))
        }
    }

    /// Plans the overrides of what `NSObject` has and `KeyValueObservable` requires.
    private func planRequirements(_ plan: ClassPlan, _ root: ClassPlan) {
        for function in plan.type.functions where function.has("override") {
            if function.name == "observeValue" {
                plan.conformances.append("KeyValueObserver")
                plan.requirements.append(function)
            } else if Self.rules[function.name] != nil, function.isStatic {
                if plan === root {
                    plan.requirements.append(function)
                } else if !root.type.functions.contains(where: { $0.name == function.name && $0.isStatic }) {
                    declare(function.name, in: root)
                }
            } else if Self.coding.contains(function.name), !function.isStatic {
                if plan === root {
                    plan.requirements.append(function)
                } else if !root.type.functions.contains(where: { $0.name == function.name }) {
                    plan.leave(
                        function.nameOffset,
                        "'\(function.name)' of class '\(plan.type.name)': declare it in '\(root.type.name)', too, which is the class that conforms to KeyValueObservable"
                    )
                }
            } else if function.name == "init", plan === root, root.losesSuperclass {
                plan.requirements.append(function)
            }
        }
    }

    private func declare(_ rule: String, in root: ClassPlan) {
        guard let declaration = Self.rules[rule], !root.overridable.contains(declaration) else { return }
        root.overridable.append(declaration)
    }

    /// Returns what replaces a call of a superclass's function in a class that lost it, or nil if nothing does.
    static func replacement(ofSuper name: String) -> String? {
        switch name {
        case "init": ""
        case "keyPathsForValuesAffectingValue": "Set<String>()"
        case "automaticallyNotifiesObservers": "true"
        default: nil
        }
    }
}

extension FunctionDeclaration {
    func has(_ modifier: String) -> Bool { attributes.contains { $0.name == modifier } }
}
