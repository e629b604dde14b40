extension Query where T == Bool {
    /// The number of elements of a collection for which the condition holds:
    ///
    ///     people.where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 1 }
    ///
    /// In the condition by itself, each part may be fulfilled by a different dog; the count includes only dogs that fulfil all
    /// parts. The condition must be about one collection: if a path goes through several, this is the first.
    ///
    /// A property that is compared with one of the elements belongs to the same element, whether or not the path names the
    /// collection before it: `($0.friends.name == $0.nickname).count` is about friends whose name is their own nickname.
    ///
    /// A part of the condition can itself be such a number. It counts the elements of a collection of each element: the next
    /// collection on the paths. This query finds people with a dog that has two friends called Rex:
    ///
    ///     people.where { (($0.dogs.friends.name == "Rex").count == 2 && $0.dogs.age > 3).count >= 1 }
    ///
    /// If the paths go through no other collection, the part counts the collection of the same name of each element.
    ///
    /// - Precondition: The condition goes through exactly one collection, and no part of it is about the object that has the
    ///   collection. The elements have such a property.
    public var count: Query<Int> {
        let condition = node
        var subquery = SubqueryCondition(base: [], lengths: collectionLengths(of:))
        let stripped = subquery.stripping(condition)
        guard let collection = subquery.collection else {
            trap("A subquery counts elements of a collection: its condition has to go through one.")
        }
        return Query<Int>(
            .operand(.subquery(QueryPath(components: collection), stripped)), collections: collections)
    }
}

/// Converts a condition on an object into a condition on the elements of one of its collections.
private struct SubqueryCondition {
    /// The path to the objects that the condition is about.
    let base: [QueryPath.Component]
    /// A closure that returns the number of components up to each collection on a path, which begins with `base`.
    let lengths: ([QueryPath.Component]) -> [Int]
    /// The collection through which all paths so far have led.
    private(set) var collection: [QueryPath.Component]?

    init(base: [QueryPath.Component], lengths: @escaping ([QueryPath.Component]) -> [Int]) {
        (self.base, self.lengths) = (base, lengths)
    }

    mutating func stripping(_ node: QueryNode) -> QueryNode {
        switch node {
        case .constant: return node
        case .and(let left, let right): return .and(stripping(left), stripping(right))
        case .or(let left, let right): return .or(stripping(left), stripping(right))
        case .not(let condition): return .not(stripping(condition))
        case .comparison(var comparison):
            let (left, right) = (comparison.left, comparison.right)
            comparison.left = isOfElements(right) ? unqualified(left) ?? stripping(left) : stripping(left)
            comparison.right = isOfElements(left) ? unqualified(right) ?? stripping(right) : stripping(right)
            return .comparison(comparison)
        }
    }

    private func isOfElements(_ operand: QueryOperand) -> Bool {
        guard case .path(let path) = operand else { return false }
        return lengths(base + path.components).contains { $0 > base.count }
    }

    /// Returns an operand that is a path through no collection as a path that begins at the element; returns nil for other
    /// operands.
    private func unqualified(_ operand: QueryOperand) -> QueryOperand? {
        guard base.isEmpty, case .path(var path) = operand, path.aggregate == nil, !isOfElements(operand)
        else {
            return nil
        }
        path.isUnqualified = true
        return .path(path)
    }

    private mutating func stripping(_ operand: QueryOperand) -> QueryOperand {
        switch operand {
        case .value: return operand
        case .arithmetic(let left, let sign, let right):
            return .arithmetic(stripping(left), sign, stripping(right))
        case .subquery(let path, let condition): return stripping(path, condition)
        case .path(var path):
            path.components = stripping(path)
            return .path(path)
        }
    }

    /// Converts a nested subquery into one about the next collection: the elements that it counts so far are elements of this
    /// one.
    private mutating func stripping(_ path: QueryPath, _ condition: QueryNode) -> QueryOperand {
        note(path.components)
        // Predicates write conditions in a nested subquery so: the name of a collection means the collection of the element.
        if base.isEmpty, !goesOn(condition, from: path.components) { return .subquery(path, condition) }
        var inner = SubqueryCondition(base: base + path.components, lengths: lengths)
        let stripped = inner.stripping(condition)
        guard let collection = inner.collection else {
            trap("A subquery counts elements of a collection: its condition has to go through one.")
        }
        return .subquery(QueryPath(components: collection), stripped)
    }

    /// Whether a path in a condition on the elements of a collection goes through another collection.
    private func goesOn(_ node: QueryNode, from base: [QueryPath.Component]) -> Bool {
        func goesOn(_ operand: QueryOperand) -> Bool {
            switch operand {
            case .value: false
            case .path(let path): lengths(base + path.components).contains { $0 > base.count }
            case .arithmetic(let left, _, let right): goesOn(left) || goesOn(right)
            case .subquery: true
            }
        }
        switch node {
        case .constant: return false
        case .and(let left, let right), .or(let left, let right):
            return self.goesOn(left, from: base) || self.goesOn(right, from: base)
        case .not(let condition): return self.goesOn(condition, from: base)
        case .comparison(let comparison): return goesOn(comparison.left) || goesOn(comparison.right)
        }
    }

    private mutating func note(_ first: [QueryPath.Component]) {
        if let collection, collection != first {
            trap(
                """
                A subquery is about one collection, not about both '\(QueryPath(components: collection).text)' and \
                '\(QueryPath(components: first).text)'.
                """)
        }
        collection = first
    }

    private mutating func stripping(_ path: QueryPath) -> [QueryPath.Component] {
        let beyond = lengths(base + path.components).first { $0 > base.count }
        guard let length = beyond.map({ $0 - base.count }) else {
            let what =
                base.isEmpty
                ? "every part of a subquery's condition has to be about elements of the same collection."
                : """
                a subquery within another counts elements of a collection that each element of \
                '\(QueryPath(components: base).text)' has.
                """
            trap("'\(path.text)' goes through no collection: \(what)")
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
        note(first)
        return rest
    }
}
