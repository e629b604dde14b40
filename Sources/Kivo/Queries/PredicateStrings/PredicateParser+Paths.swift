extension PredicateParser {
    mutating func path() throws(PredicateSyntaxError) -> QueryPath {
        var path = QueryPath()
        let first = current
        try enterScope()
        switch first.kind {
        case .variable: advance()
        case .word(let word) where word.lowercased() == "self": advance()
        default: try appendComponent(to: &path)
        }
        while true {
            if accept(".") {
                try appendComponent(to: &path)
            } else if accept("[") {
                if case .word(let word) = current.kind, word.uppercased() == "SIZE" {
                    try append(collectionOperator: "size", to: &path, current)
                    advance()
                } else {
                    try append(try bracketComponent(), to: &path, current)
                }
                try expect("]")
            } else {
                return path
            }
        }
    }

    /// Throws if a path begins at an object other than the one that the conditions here are about. A subquery's conditions are
    /// about the elements of its collection, also where a path does not begin with the variable, and cannot reach other objects.
    private func enterScope() throws(PredicateSyntaxError) {
        switch current.kind {
        case .variable(let name): try checkVariable(name)
        case .word(let word) where word.lowercased() == "self":
            // `NSPredicate` means the object outside of the subquery by it.
            guard let variable = variables.last else { return }
            throw refusal(
                "In the condition of a SUBQUERY, an element is written '$\(variable)', not '\(word)'",
                at: current)
        default: return
        }
    }

    private func checkVariable(_ name: String) throws(PredicateSyntaxError) {
        if name == variables.last { return }
        if variables.contains(name) {
            throw refusal(
                """
                '$\(name)' belongs to a SUBQUERY further out; here properties begin with \
                '$\(variables.last!)'
                """,
                at: current)
        }
        throw refusal("Unknown variable '$\(name)'", at: current)
    }

    private mutating func appendComponent(to path: inout QueryPath) throws(PredicateSyntaxError) {
        let token = current
        switch token.kind {
        case .word(let name), .escapedWord(let name):
            try append(.property(name), to: &path, token)
            advance()
        case .collectionOperator(let name):
            try append(collectionOperator: name, to: &path, token)
            advance()
        case .keyPathArgument: try append(dottedName: try keyPathArgument(), to: &path, token)
        default: throw unexpected(expected: "a property")
        }
    }

    private func append(
        dottedName: String, to path: inout QueryPath, _ token: PredicateToken
    ) throws(PredicateSyntaxError) {
        var names = dottedName.split(separator: ".", omittingEmptySubsequences: false)
        if path.components.isEmpty, path.aggregate == nil, names[0].lowercased() == "self" {
            names.removeFirst()
        }
        for name in names {
            if name.isEmpty || name == "@" {
                throw refusal("'%K' takes the name of a property, not '\(dottedName)'", at: token)
            }
            if name.hasPrefix("@") {
                try append(collectionOperator: String(name.dropFirst()), to: &path, token)
            } else {
                try append(.property(String(name)), to: &path, token)
            }
        }
    }

    private func append(
        collectionOperator name: String, to path: inout QueryPath, _ token: PredicateToken
    ) throws(PredicateSyntaxError) {
        switch name {
        case "keys", "allKeys": return try append(.keys, to: &path, token)
        case "values", "allValues": return try append(.values, to: &path, token)
        case "type": return try append(.type, to: &path, token)
        default: break
        }
        guard let function = QueryPath.Function(rawValue: name == "size" ? "count" : name) else {
            throw refusal("Unknown collection operator '@\(name)'", at: token)
        }
        if path.components.last == .type {
            throw refusal("Nothing can follow '@type', which is a name", at: token)
        }
        if let aggregate = path.aggregate {
            throw refusal("'@\(name)' cannot follow '@\(aggregate.function.rawValue)'", at: token)
        }
        path.aggregate = (function, [])
    }

    private func append(
        _ component: QueryPath.Component, to path: inout QueryPath, _ token: PredicateToken
    ) throws(PredicateSyntaxError) {
        if path.components.last == .type || component == .type && path.aggregate != nil {
            throw refusal("'@type' is the end of a path to values of any type", at: token)
        }
        switch path.aggregate?.function {
        case nil: path.components.append(component)
        case .count: throw refusal("Nothing can follow '@count', which is a number", at: token)
        default: path.aggregate!.components.append(component)
        }
    }

    /// Parses a component in brackets: an element of a value of any type, all of its elements, or a key.
    private mutating func bracketComponent() throws(PredicateSyntaxError) -> QueryPath.Component {
        let component: QueryPath.Component
        switch current.kind {
        case .integer(let index): component = .index(index)
        case .sign("*"): component = .all
        case .word(let word) where word.uppercased() == "FIRST": component = .index(0)
        case .word(let word) where word.uppercased() == "LAST": component = .index(-1)
        default: return try keyComponent()
        }
        advance()
        return component
    }

    /// Parses a key, or a position that an argument provides.
    private mutating func keyComponent() throws(PredicateSyntaxError) -> QueryPath.Component {
        let token = current
        switch token.kind {
        case .string(let key):
            advance()
            return .key(key)
        default: break
        }
        guard let argument = try argument() else { throw unexpected(expected: "a key") }
        if let index = argument.value as? Int { return .index(index) }
        guard let key = argument.value as? String else {
            throw refusal(
                "A map's key is a String, not \(Self.description(of: argument.value))", at: token)
        }
        return .key(key)
    }
}
