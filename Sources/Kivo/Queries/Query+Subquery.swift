extension Query where T == Bool {
    /// The number of elements of a collection for which the condition holds:
    ///
    ///     people.where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 1 }
    ///
    /// Unlike the condition by itself, of which any dog may fulfil any part, this asks for dogs that fulfil all of it.
    /// The condition has to be about one collection; where a path goes through several, it is the first. Traps if there
    /// is none or another one, or if a part of the condition is about the object that has the collection.
    public var count: Query<Int> {
        let condition = node
        var subquery = SubqueryCondition(lengths: collectionLengths(of:))
        let stripped = subquery.stripping(condition)
        guard let collection = subquery.collection else {
            trap("A subquery counts elements of a collection: its condition has to go through one.")
        }
        return Query<Int>(
            .operand(.subquery(QueryPath(components: collection), stripped)), collections: collections)
    }
}

/// Turns a condition on an object into one on the elements of a collection of the object.
private struct SubqueryCondition {
    /// How many components of a path lead to each collection that it goes through.
    let lengths: ([QueryPath.Component]) -> [Int]
    /// The collection that all paths so far went through.
    private(set) var collection: [QueryPath.Component]?

    init(lengths: @escaping ([QueryPath.Component]) -> [Int]) { self.lengths = lengths }

    mutating func stripping(_ node: QueryNode) -> QueryNode {
        switch node {
        case .constant: return node
        case .and(let left, let right): return .and(stripping(left), stripping(right))
        case .or(let left, let right): return .or(stripping(left), stripping(right))
        case .not(let condition): return .not(stripping(condition))
        case .comparison(var comparison):
            comparison.left = stripping(comparison.left)
            comparison.right = stripping(comparison.right)
            return .comparison(comparison)
        }
    }

    private mutating func stripping(_ operand: QueryOperand) -> QueryOperand {
        switch operand {
        case .value: return operand
        case .subquery: trap("A subquery cannot be part of the condition of another one.")
        case .path(var path):
            path.components = stripping(path)
            return .path(path)
        }
    }

    private mutating func stripping(_ path: QueryPath) -> [QueryPath.Component] {
        guard let length = lengths(path.components).first else {
            trap(
                """
                '\(path.text)' goes through no collection: every part of a subquery's condition has to be about \
                elements of the same collection.
                """)
        }
        let first = Array(path.components[..<length])
        let rest = Array(path.components[length...])
        if rest.first == .keys || rest.first == .values {
            trap("'\(path.text)' is about entries of a map, of which a subquery cannot be made.")
        }
        if path.aggregate != nil, rest.isEmpty {
            trap(
                """
                '\(path.text)' is about the whole collection '\(QueryPath(components: first).text)', but a subquery's \
                condition is about its elements.
                """)
        }
        if let collection, collection != first {
            trap(
                """
                A subquery is about one collection, not about both '\(QueryPath(components: collection).text)' and \
                '\(QueryPath(components: first).text)'.
                """)
        }
        collection = first
        return rest
    }
}
