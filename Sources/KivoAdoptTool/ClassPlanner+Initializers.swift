import KivoSourceModel

extension ClassPlanner {
    /// Plans the initialisers of classes that derived from `NSObject`. Kivo creates instances with `init()`, which is required.
    /// Wrapped properties can be set only after the object is complete.
    ///
    /// - Parameter hierarchy: the class with all related classes.
    func planInitializers(_ plan: ClassPlan, in hierarchy: [TypeDeclaration]) {
        let type = plan.type
        let open = openProperties(plan)
        let initializers = type.functions.filter { $0.name == "init" && $0.body != nil }
        let plain = initializers.first { !$0.hasParameters }
        // An initialiser that subclasses or `init()` itself call must stay designated. Otherwise it can become a convenience
        // initialiser.
        let staysDesignated =
            plain?.has("convenience") ?? false
            || hierarchy.contains { related in
                related.functions.contains { function in
                    function.body.map { Self.superInitializers(in: $0).contains { !$0.arguments.isEmpty } }
                        ?? false
                }
            }
        var hasDesignated = false
        for function in initializers {
            guard let body = function.body else { continue }
            if !function.hasParameters {
                if function.has("convenience") {
                    plan.initializers.append((function, .required(callsSuperFirst: false)))
                } else if !function.has("required") || function.has("override") {
                    planPlain(function, body, open, plan)
                }
                continue
            }
            if function.has("convenience") { continue }
            let name = "'init(\(body.parameters.map { $0.name + ":" }.joined()))'"
            if function.has("required") {
                plan.obstruct(
                    function.nameOffset,
                    "class '\(type.name)' is left as it is: \(name) is required, as NSCoding has it, which Object does not know"
                )
            } else if let property = open.first {
                plan.obstruct(
                    function.nameOffset,
                    """
                    class '\(type.name)' is left as it is: \(name) sets '\(property.name)', which has no default value, so that \
                    there is no 'init()' that Kivo could make objects with
                    """)
            } else if staysDesignated {
                let calls = Self.superInitializers(in: body)
                if calls.contains(where: { !$0.arguments.isEmpty }), !body.bindings.isEmpty || calls.count > 1
                {
                    plan.obstruct(
                        function.nameOffset,
                        "class '\(type.name)' is left as it is: \(name) computes what it gives to the superclass's initialiser"
                    )
                }
                hasDesignated = true
                plan.initializers.append((function, .designated))
            } else {
                plan.initializers.append((function, .convenience))
            }
        }
        if hasDesignated, plain == nil { plan.needsPlainInitializer = true }
    }

    private func planPlain(
        _ function: FunctionDeclaration, _ body: FunctionBody, _ open: [PropertyDeclaration],
        _ plan: ClassPlan
    ) {
        let wrapped = plan.properties.filter { !$0.isPlain }.map(\.declaration.name)
        if !open.isEmpty, !Self.assignedBeforeSuper(body).isDisjoint(with: wrapped) {
            plan.obstruct(
                function.nameOffset,
                "class '\(plan.type.name)' is left as it is: its 'init()' sets observed properties before the object is complete"
            )
        }
        plan.initializers.append((function, .required(callsSuperFirst: open.isEmpty)))
    }

    /// Returns the stored properties that initialisers must set.
    private func openProperties(_ plan: ClassPlan) -> [PropertyDeclaration] {
        plan.type.properties.filter { property in
            let isWrapped = plan.properties.contains { $0.declaration.name == property.name && !$0.isPlain }
            guard !property.isStatic, !property.isComputed, property.value == nil, !isWrapped else {
                return false
            }
            if case .optional? = property.type, !property.isLet { return false }
            return property.attribute("lazy") == nil
        }
    }

    /// Returns the calls of `super.init`.
    static func superInitializers(in body: FunctionBody) -> [Expression.Call] {
        var found: [Expression.Call] = []
        for expression in body.expressions {
            expression.forEach { part in
                guard case .call(let call) = part, case .member(let base?, "init", _) = call.function.bare,
                    case .name("super", _) = base.bare
                else { return }
                found.append(call)
            }
        }
        return found
    }

    /// Returns the names that occur before the call of `super.init`.
    private static func assignedBeforeSuper(_ body: FunctionBody) -> Set<String> {
        var names: Set<String> = []
        for expression in body.expressions {
            var isSuper = false
            expression.forEach { part in
                if case .name("super", _) = part { isSuper = true }
            }
            if isSuper { return names }
            expression.forEach { part in
                if case .name(let name, _) = part { names.insert(name) }
                if case .member(_, let name, _) = part { names.insert(name) }
            }
        }
        return names
    }
}

extension ClassPlan.Property {
    var isPlain: Bool {
        if case .plain = decision { return true }
        return false
    }
}

extension FunctionDeclaration {
    func has(_ modifier: String) -> Bool { attributes.contains { $0.name == modifier } }
}
