extension Query where T == Bool {
    /// The number of elements of a collection for which the condition holds:
    ///
    ///     people.where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 1 }
    ///
    /// Unlike the condition by itself, of which any dog may fulfil any part, this asks for dogs that fulfil all of it.
    /// The condition has to be about one collection; where a path goes through several, it is the first. Traps if there
    /// is none or another one, or if a part of the condition is about the object that has the collection.
    ///
    /// A property that one of the elements is compared with is that of the same element, whether the collection is named
    /// before it or not: `($0.friends.name == $0.nickname).count` is about friends whose name is their own nickname.
    /// Traps if the elements have no such property.
    ///
    /// A part of the condition can be such a number itself: it is that of the elements of a collection that each element
    /// has, the next one on the paths. This asks for people with a dog that has two friends called Rex:
    ///
    ///     people.where { (($0.dogs.friends.name == "Rex").count == 2 && $0.dogs.age > 3).count >= 1 }
    ///
    /// If the paths go through no other collection, it is that of the same name which each element has.
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

/// Turns a condition on an object into one on the elements of a collection of the object.
private struct SubqueryCondition {
    /// The way to the objects that the condition is about.
    let base: [QueryPath.Component]
    /// How many components of a path, which begins with the base, lead to each collection that it goes through.
    let lengths: ([QueryPath.Component]) -> [Int]
    /// The collection that all paths so far went through.
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

    /// A path which goes through no collection, as one that begins at the element.
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

    /// A subquery within is one about the next collection: what it counted so far were elements of this one.
    private mutating func stripping(_ path: QueryPath, _ condition: QueryNode) -> QueryOperand {
        note(path.components)
        // As conditions within one are written in predicates, where the name of a collection is that of the element's.
        if base.isEmpty, !goesOn(condition, from: path.components) { return .subquery(path, condition) }
        var inner = SubqueryCondition(base: base + path.components, lengths: lengths)
        let stripped = inner.stripping(condition)
        guard let collection = inner.collection else {
            trap("A subquery counts elements of a collection: its condition has to go through one.")
        }
        return .subquery(QueryPath(components: collection), stripped)
    }

    /// Whether a path of a condition on the elements of a collection goes through another collection.
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
