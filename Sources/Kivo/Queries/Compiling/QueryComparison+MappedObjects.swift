import KivoEngine

extension QueryComparison {
    /// Returns the comparison of a mapped value that is stored as an embedded object, as comparisons of the object's properties.
    /// Returns nil for other comparisons. Traps if comparisons of properties cannot express it.
    func comparingProperties<Scope: QueryScope>(in scope: Scope) -> QueryNode? {
        guard case .path(let left) = left, left.aggregate == nil, case .value(let value?) = right,
            let object = (flatten(value) as? any _CustomPersistable)?.persistedObject
        else { return nil }
        let path = scope.resolve(left)
        guard let target = path.elements, target.info.isEmbedded else { return nil }
        guard `operator` == .equal || `operator` == .notEqual, options.isEmpty else {
            trap(
                """
                Values of '\(left.text)' are stored as objects of class '\(target.info.name)', which are equal or not: compare \
                their properties, '\(left.text).persistableValue'.
                """)
        }
        let isEqual = `operator` == .equal
        if path.isSingle {
            let equality = QueryComparison.equality(left.components, object)
            return isEqual ? equality : .not(equality)
        }
        guard quantifier == .any, let collection = Self.collection(left.components, scope) else {
            trap("Ask for the properties of '\(left.text).persistableValue', or in a subquery.")
        }
        // All properties of one and the same element must be equal, or one of them must differ.
        var element = self
        element.left = .path(QueryPath(components: Array(left.components[collection...])))
        let equality = QueryComparison.equality([], object)
        let isWhole = collection == left.components.count
        let condition = isWhole ? (isEqual ? equality : .not(equality)) : .comparison(element)
        let elements = QueryPath(components: Array(left.components[..<collection]))
        return .comparison(
            QueryComparison(left: .subquery(elements, condition), operator: .greater, right: .value(0)))
    }

    /// Returns the number of components up to the first collection of objects on a path.
    private static func collection(
        _ components: [QueryPath.Component], _ scope: some QueryScope
    ) -> Int? {
        for length in 1...components.count {
            guard case .property = components[length - 1] else { continue }
            let begin = scope.resolve(Array(components[..<length]))
            if begin.isSingle || begin.elements == nil { continue }
            guard length < components.count else { return length }
            return components[length] == .values ? length + 1 : length
        }
        return nil
    }

    /// Returns the condition that there is an object at a path, and that its properties equal those of another object.
    private static func equality(_ path: [QueryPath.Component], _ object: ObjectBase) -> QueryNode {
        func compared(
            _ components: [QueryPath.Component], _ sign: Operator, _ value: Any?
        ) -> QueryNode {
            let operand = QueryOperand.path(QueryPath(components: components))
            return .comparison(QueryComparison(left: operand, operator: sign, right: .value(value)))
        }
        var node = path.isEmpty ? .constant(true) : compared(path, .notEqual, nil)
        for property in object.kivoInfo.storedProperties where property.type.collection == .none {
            let value = object.kivoValue(property).flatMap(flatten)
            let component = path + [.property(property.name)]
            if property.isOwning, let part = value.flatMap({ persisted($0) as? ObjectBase }) {
                node = .and(node, equality(component, part))
            } else {
                node = .and(node, compared(component, .equal, value))
            }
        }
        return node
    }
}
