import KivoEngine

/// Comparisons by `@type`, of the types of values of any type.
extension QueryComparison {
    /// The path and the test of a comparison by `@type`; nil for other comparisons. Traps if types cannot be compared by this
    /// operator.
    var typeTest: (path: QueryPath, test: AnyTypeTest)? {
        guard case .path(var path) = left, path.components.last == .type else {
            if case .path(let path) = right, path.components.last == .type {
                trap(
                    "'\(path.text)' is compared with the names of types, as in \"\(path.text) == 'string'\".")
            }
            return nil
        }
        let text = path.text
        path.components.removeLast()
        guard case .value(let value) = right, [.equal, .notEqual, .isIn].contains(self.operator) else {
            trap(
                "'\(text)' is compared by ==, != or IN with the names of types, as in \"\(text) == 'string'\"."
            )
        }
        let names = self.operator == .isIn ? CollectionContents.elements(of: value) ?? [] : [value as Any]
        var types: Set<AnyTypeName> = []
        for name in names {
            guard let name = flatten(name) as? String, let named = AnyTypeName.named(name) else {
                trap("'\(flatten(name) ?? "nil")' names no type that '\(text)' could be.")
            }
            types.formUnion(named)
        }
        return (path, AnyTypeTest(types: types, isNegated: self.operator == .notEqual))
    }
}

extension QueryPath {
    /// Traps unless the path before `@type` leads to values of any type.
    func checkIsAny(_ type: QueryValueType) {
        if type.isAny { return }
        trap("'\(text)' is \(type.text): '@type' asks for the types of values of any type.")
    }
}
