import KivoSourceModel

/// The keys of which classes announce changes by hand.
extension ClassPlanner {
    /// Returns the keys of which code of a type announces changes of its own object.
    func announcedKeys(in part: TypeDeclaration) -> Set<String> {
        var keys: Set<String> = []
        for body in bodies[ObjectIdentifier(part), default: []] {
            keys.formUnion(announcements(in: body).keys)
        }
        // The key of an announcement in a setter is that of its property, if it is computed.
        for property in part.properties where !property.isStatic {
            guard let setter = property.accessor(.set), announcements(in: setter.body).hasOthers else {
                continue
            }
            keys.insert(property.name)
        }
        return keys
    }

    /// Whether code of a type announces changes of its own object.
    func announces(_ part: TypeDeclaration) -> Bool {
        bodies[ObjectIdentifier(part), default: []].contains { body in
            let found = announcements(in: body)
            return !found.keys.isEmpty || found.hasOthers
        }
    }

    /// Whether a setter announces the changes of its property.
    func announces(_ property: PropertyDeclaration, in setter: AccessorDeclaration) -> Bool {
        let found = announcements(in: setter.body)
        return found.keys.contains(property.name) || found.hasOthers
    }

    /// Returns the announced keys in a body, and whether there are announcements of keys that the sources do not say.
    private func announcements(in body: FunctionBody) -> (keys: Set<String>, hasOthers: Bool) {
        var (keys, hasOthers): (Set<String>, Bool) = ([], false)
        for expression in body.expressions {
            expression.forEach { part in
                guard case .call(let call) = part, isOfSelf(call.function),
                    let argument = call.arguments.first(where: { ["forKey", "for"].contains($0.label) })
                else { return }
                if let key = keyName(of: argument.value) { keys.insert(key) } else { hasOthers = true }
            }
        }
        return (keys, hasOthers)
    }

    private func isOfSelf(_ function: Expression) -> Bool {
        let name: String
        switch function.bare {
        case .name(let function, _): name = function
        case .member(let base?, let function, _):
            guard case .name("self", _) = base.bare else { return false }
            name = function
        default: return false
        }
        return ["willChangeValue", "didChangeValue", "willChange", "didChange"].contains(name)
    }

    /// Returns the texts of the literals, and the last names of the key paths, in a body.
    func names(in body: FunctionBody) -> Set<String> {
        var names: Set<String> = []
        for expression in body.expressions {
            expression.forEach { part in if let name = keyName(of: part) { names.insert(name) } }
        }
        return names
    }

    /// Returns the key of an expression: the last name of a key path, the text of a literal, or that of a constant.
    private func keyName(of expression: Expression) -> String? {
        switch expression.bare {
        case .keyPath(let components, _, _): components.last
        case .string(let text, _): text
        case .name(let name, _), .member(_, let name, _): constants[name]
        default: nil
        }
    }
}
