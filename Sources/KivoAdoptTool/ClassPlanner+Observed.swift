import KivoSourceModel

/// Plans for other classes than models that Cocoa observes: they conform to `KeyValueObservable`, and their properties are
/// `@Observed`.
extension ClassPlanner {
    /// The members of `NSObject` that classes of their own do not have.
    private static let objectMembers: Set<String> = [
        "conforms", "copy", "debugDescription", "description", "forwardingTarget", "hash", "isEqual",
        "isKind", "isMember", "mutableCopy", "perform", "responds",
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
    private static let observable: Set<String> = [
        "KeyValueObservable", "KeyValueObservingCustomization", "KeyValueObject", "KeyValueOperation",
    ]

    func observedPlans(_ classes: [TypeDeclaration]) -> [ClassPlan] {
        // Code for Objective-C alone stays as it is.
        let roots = classes.filter {
            program.superclass(of: $0) == nil && program.model(of: $0) == nil
                && !$0.conditions.contains("canImport(ObjectiveC)")
        }
        return roots.flatMap { root in
            var hierarchy = [root]
            var next = 0
            while next < hierarchy.count {
                hierarchy += classes.filter { program.superclass(of: $0) === hierarchy[next] }
                next += 1
            }
            let foreign = root.inherited.first.flatMap { program.foreignName(of: $0, in: root.outer) }
            let isConforming = program.conformance(of: root, to: Self.observable) == .yes
            // Cocoa finds members by their names in classes that derive from its own.
            let isOfCocoa = foreign.map { $0 == "NSObject" || !Program.plainProtocols.contains($0) } ?? false
            let observed = hierarchy.filter { isObserved($0, isOfCocoa: isOfCocoa && !isConforming) }
            return observed.isEmpty ? [] : plans(of: hierarchy, observed, foreign, isConforming)
        }
    }

    /// Whether a class has properties that Cocoa observes, or rules or announcements for the keys of such properties.
    private func isObserved(_ type: TypeDeclaration, isOfCocoa: Bool) -> Bool {
        program.parts(of: type).contains { part in
            if part.properties.contains(where: { isDynamic($0, in: part) && !$0.isStatic && !$0.isLet }) {
                return true
            }
            guard isOfCocoa else { return false }
            return !rules(in: part, of: type).isEmpty || part.functions.contains(where: isRule)
                || announces(part)
        }
    }

    private func isRule(_ function: FunctionDeclaration) -> Bool {
        function.isStatic && function.has("override") && Self.rules[function.name] != nil
    }

    /// Returns the plans for a root class and all that derive from it, of which some are observed.
    private func plans(
        of hierarchy: [TypeDeclaration], _ observed: [TypeDeclaration], _ foreign: String?,
        _ isConforming: Bool
    ) -> [ClassPlan] {
        let plans = hierarchy.map { ClassPlan($0, .cocoa) }
        let root = plans[0]
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
        for plan in plans { plan.actor = program.globalActor(of: plan.type) }
        if !isConforming { planConformance(of: root, foreign, hierarchy) }
        let hasBase = root.base != nil || foreign == "KeyValueObject" || foreign == "KeyValueOperation"
        for plan in plans {
            plan.overridesRules = hasBase || plan !== root
            planRules(plan)
            planObservedProperties(plan)
            planRequirements(plan, root, hasBase: hasBase)
            listObjectiveCFunctions(plan)
        }
        let named = plans.filter { !$0.computed.isEmpty }
        for plan in named where plan !== root { plan.mergesComputed = true }
        if hasBase { return plans }
        if named.contains(where: { $0 !== root }), root.computed.isEmpty {
            declare("computedProperties", in: root)
        }
        for plan in plans where plan !== root {
            for rule in plan.rules where !rule.isOverride { declare(rule.kind.function, in: root) }
        }
        return plans
    }

    /// Decides which class or protocol takes the place of `NSObject` or `Operation`.
    private func planConformance(of root: ClassPlan, _ foreign: String?, _ hierarchy: [TypeDeclaration]) {
        let type = root.type
        if foreign == "Operation" {
            root.base = "KeyValueOperation"
            return
        }
        let reason = foreign == "NSObject" ? reasonForNSObject(hierarchy) : nil
        if foreign == "NSObject", root.actor == nil, needsBase(hierarchy) {
            root.base = "KeyValueObject"
            if let reason {
                root.leave(
                    type.nameOffset,
                    "class '\(type.name)' derives from KeyValueObject, which is no NSObject on Apple's platforms, and \(reason)"
                )
            }
            return
        }
        if foreign == "Progress" {
            root.leave(
                type.nameOffset,
                "class '\(type.name)' announces its own properties, and not those of Progress: derive it from KeyValueProgress if these are observed"
            )
        }
        root.conformances = [root.isolated("KeyValueObservable")]
        root.losesSuperclass = foreign == "NSObject" && reason == nil
        if root.losesSuperclass, hasBindings(type) {
            root.leave(
                type.nameOffset,
                "class '\(type.name)' is no NSObject any more: Cocoa's bindings, also those in nibs, do not find its properties"
            )
        }
        if let reason {
            root.leave(
                type.nameOffset,
                "class '\(type.name)' stays derived from NSObject, as \(reason): on Apple's platforms NSObject has observing of its own, to which these properties say nothing"
            )
        }
    }

    /// Whether the program may bind properties of a class to views.
    private func hasBindings(_ type: TypeDeclaration) -> Bool {
        let words: Set<String> = [
            "NSArrayController", "NSDictionaryController", "NSObjectController", "NSTreeController",
            "withKeyPath",
        ]
        return files.contains { file in
            guard file.imports.contains(where: { ["AppKit", "Cocoa"].contains($0.path.first) }) else {
                return false
            }
            return file.source === type.source
                || file.source.tokens.contains {
                    $0.kind == .word && words.contains(file.source.text(of: $0))
                }
        }
    }

    /// Whether classes need the members of `KeyValueObservable` and `KeyValueObserver` as members of a superclass.
    private func needsBase(_ hierarchy: [TypeDeclaration]) -> Bool {
        hierarchy.contains { type in
            program.parts(of: type).contains { part in
                let source = part.source
                return source.tokens(of: part).contains { index in
                    guard source.matches(index, "super"), source.matches(index + 1, ".") else { return false }
                    let name = source.name(of: source.tokens[index + 2])
                    return name == "observeValue" || Self.coding.contains(name)
                }
            }
                || (type !== hierarchy[0]
                    && type.functions.contains { function in
                        function.has("override") && Self.coding.contains(function.name)
                            && !hierarchy[0].functions.contains { $0.name == function.name }
                    })
        }
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
            for part in program.parts(of: type) {
                for entry in part.inherited {
                    guard let name = program.foreignName(of: entry, in: part.outer), name != "NSObject",
                        name.hasPrefix("NS") || name.hasSuffix("Delegate")
                    else { continue }
                    return "'\(type.name)' conforms to '\(name)'"
                }
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

    /// Plans the overrides of what `NSObject` has and `KeyValueObservable` requires.
    private func planRequirements(_ plan: ClassPlan, _ root: ClassPlan, hasBase: Bool) {
        for function in plan.type.functions where function.has("override") {
            let (name, offset) = (function.name, function.nameOffset)
            if hasBase {
                guard Self.coding.contains(name), !["setValue", "setNilValueForKey", "value"].contains(name)
                else { continue }
                plan.leave(
                    offset,
                    "'\(name)' of class '\(plan.type.name)': no base class of Kivo has it; remove 'override'")
            } else if name == "observeValue" {
                plan.conformances.append(plan.isolated("KeyValueObserver"))
                plan.requirements.append(function)
            } else if Self.rules[name] != nil, function.isStatic {
                if plan === root {
                    plan.requirements.append(function)
                } else if !root.type.functions.contains(where: { $0.name == name && $0.isStatic }) {
                    declare(name, in: root)
                }
            } else if Self.coding.contains(name), !function.isStatic {
                if plan === root {
                    plan.requirements.append(function)
                } else if !root.type.functions.contains(where: { $0.name == name }) {
                    plan.leave(
                        offset,
                        "'\(name)' of class '\(plan.type.name)': declare it in '\(root.type.name)', too, which is the class that conforms to KeyValueObservable"
                    )
                }
            } else if name == "init", plan === root, root.losesSuperclass {
                plan.requirements.append(function)
            }
        }
    }

    private func declare(_ rule: String, in root: ClassPlan) {
        guard let declaration = Self.rules[rule], !root.overridable.contains(declaration),
            !root.rules.contains(where: { $0.kind.function == rule }),
            !root.type.functions.contains(where: { $0.name == rule && $0.isStatic })
        else { return }
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

extension ClassPlan {
    /// Returns an entry of the class's inheritance clause, isolated to the actor of the class.
    func isolated(_ conformance: String) -> String { actor.map { "@\($0) \(conformance)" } ?? conformance }
}

extension FunctionDeclaration {
    func has(_ modifier: String) -> Bool { attributes.contains { $0.name == modifier } }
}

extension SourceText {
    /// The tokens of a type, from its keyword to its closing brace.
    func tokens(of type: TypeDeclaration) -> Range<Int> {
        let first = tokenIndex(from: type.range.start)
        return first..<max(first, tokenIndex(from: type.range.end) + 1)
    }
}
