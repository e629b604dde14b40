import KivoSourceModel

extension ClassPlanner {
    /// The states of an operation, which Cocoa announces by other names than those of their setters.
    private static let operationStates: Set<String> = [
        "isAsynchronous", "isCancelled", "isConcurrent", "isExecuting", "isFinished", "isReady",
    ]

    func planObservedProperties(_ plan: ClassPlan) {
        let parts = program.parts(of: plan.type).filter(program.isOwn)
        let named = namedKeys(of: plan, parts)
        for part in parts {
            for property in part.properties
            where !property.isStatic && !property.isObserved {
                if isDynamic(property, in: part) {
                    planDynamic(property, in: part, plan)
                } else {
                    if property.attribute("objc") != nil { add(property, in: part, .plain, plan) }
                    if named.contains(property.name), property.attribute("override") == nil {
                        plan.computed.append(property.name)
                    }
                }
            }
        }
    }

    /// Returns the keys that a class announces, or for which it has rules. Observers are notified of them by their names.
    private func namedKeys(of plan: ClassPlan, _ parts: [TypeDeclaration]) -> Set<String> {
        var keys = Set(plan.rules.filter { $0.kind == .dependencies }.map(\.key))
        for part in parts { keys.formUnion(announcedKeys(in: part)) }
        for function in plan.type.functions
        where function.name == ClassPlan.Rule.Kind.dependencies.function && function.isStatic {
            let computed = plan.type.properties.filter(\.isComputed).map(\.name)
            keys.formUnion(function.body.map { names(in: $0).intersection(computed) } ?? [])
        }
        return keys
    }

    private func add(
        _ property: PropertyDeclaration, in part: TypeDeclaration, _ decision: ClassPlan.Property.Decision,
        _ plan: ClassPlan, suffix: String? = nil, isBracketed: Bool = false
    ) {
        plan.properties.append(
            ClassPlan.Property(
                declaration: property, part: part === plan.type ? nil : part, decision: decision,
                suffix: suffix,
                isBracketed: isBracketed))
    }

    private func planDynamic(_ property: PropertyDeclaration, in part: TypeDeclaration, _ plan: ClassPlan) {
        let (source, name) = (part.source, "\(plan.type.name).\(property.name)")
        if property.isComputed {
            if property.attribute("override") == nil { plan.computed.append(property.name) }
            let isBracketed = property.accessor(.set).map { brackets(property, $0, in: part, plan) } ?? false
            add(property, in: part, .plain, plan, isBracketed: isBracketed)
            return
        }
        // The value of a constant never changes, and is read by name without a wrapper.
        if property.isLet { return add(property, in: part, .plain, plan) }
        if ["unowned", "lazy", "override"].contains(where: { property.attribute($0) != nil }) {
            plan.leave(
                source, property.nameOffset,
                "'\(name)' is unowned, lazy or an override, and cannot be observed any more")
            return add(property, in: part, .plain, plan)
        }
        var suffix: String?
        if case .optional? = property.type, property.value == nil, let range = property.typeRange {
            suffix = ": \(source.text(range)) = nil"
        }
        listObservers(of: property, name, source, plan)
        add(property, in: part, .observed, plan, suffix: suffix)
    }

    /// Returns whether the setter of a computed property has to announce the change.
    func brackets(
        _ property: PropertyDeclaration, _ setter: AccessorDeclaration, in part: TypeDeclaration,
        _ plan: ClassPlan
    ) -> Bool {
        let (source, name) = (part.source, "\(plan.type.name).\(property.name)")
        if property.attribute("override") != nil {
            if Self.operationStates.contains(property.name) { return false }
            // The setter of the superclass announces the change if it is called.
            let callsSuper = setter.body.tokens.contains { index in
                source.matches(index, "super") && source.matches(index + 1, ".")
                    && source.name(of: source.tokens[index + 2]) == property.name
            }
            plan.leave(
                source, property.nameOffset,
                "'\(name)' overrides a property: by name, observers and 'value(forKey:)' read that of the superclass, if it is stored"
            )
            if callsSuper { return false }
        }
        let announces = announces(property, in: setter)
        switch announcement(of: property.name, plan) {
        case .manual: return false
        case .undecided:
            if !announces {
                plan.leave(
                    source, property.nameOffset,
                    "'\(name)' has a setter, and 'automaticallyNotifiesObservers' names it: if Cocoa announced its changes, let the setter announce them"
                )
            }
            return false
        case .automatic:
            if announces {
                plan.leave(
                    source, property.nameOffset,
                    "'\(name)' announces its changes itself, which is the only notification now: Cocoa sent another one"
                )
            }
            return !announces
        }
    }

    /// Lists the property observers, which a wrapper precedes.
    private func listObservers(
        of property: PropertyDeclaration, _ name: String, _ source: SourceText, _ plan: ClassPlan
    ) {
        let observers = property.accessors.map(\.kind)
        guard observers.contains(.didSet) || observers.contains(.willSet) else { return }
        let isAfter = observers.contains(.didSet)
        let text =
            isAfter
            ? "'didSet' of '\(name)' runs after observers were notified, in Cocoa before: if it changes what they read"
            : "'willSet' of '\(name)' runs before observers of prior notifications, in Cocoa after them: if it changes what they read"
        plan.leave(
            source, property.nameOffset,
            text
                + ", keep the value in a private property, and make '\(property.name)' computed: "
                + "set { willChangeValue(forKey: \"\(property.name)\"); stored = newValue; didChangeValue(forKey: \"\(property.name)\") }, "
                + "named in 'computedProperties()'")
    }
}
