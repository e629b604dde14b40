import KivoObserving

/// A condition that can be stored, compared with other conditions and applied to collections, for views that follow a query.
package struct QueryCondition {
    fileprivate let node: QueryNode

    /// Creates the condition of a typed query.
    package init<Element>(_ isIncluded: (Query<Element>) -> Query<Bool>) {
        node = isIncluded(Query<Element>(.operand(.path(QueryPath())))).node
    }

    /// Creates the condition of a predicate string. Traps with a message if the string is malformed.
    package init(_ format: String, arguments: [Any]) { node = QueryNode.parsing(format, arguments) }

    /// Creates the condition of a predicate string with variables, such as `$name`, and inserts the variables without a value into
    /// a set. Traps with a message if the string is malformed.
    package init(
        _ format: String, arguments: [Any], substituting substitutes: [String: Any],
        unsubstituted: inout Set<String>
    ) {
        let variables: Set<String>
        (node, variables) = PredicateSyntaxError.trapping { () throws(PredicateSyntaxError) in
            try PredicateParser.parse(format, arguments, substituting: substitutes)
        }
        unsubstituted.formUnion(variables)
    }

    /// Creates a condition that holds for all elements or for none.
    package init(_ holds: Bool) { node = .constant(holds) }

    /// Returns a condition that holds if both conditions hold.
    package func and(_ other: QueryCondition) -> QueryCondition { QueryCondition(.and(node, other.node)) }

    /// Returns a condition that holds if one of two conditions holds.
    package func or(_ other: QueryCondition) -> QueryCondition { QueryCondition(.or(node, other.node)) }

    /// Returns a condition that holds if this one does not.
    package var negated: QueryCondition { QueryCondition(.not(node)) }

    private init(_ node: QueryNode) { self.node = node }

    /// Returns whether the condition holds for an object, managed or not. Traps if it is invalid for the object's class.
    package func holds(for object: ObjectBase) -> Bool {
        QueryCompiler(ObjectScope(type(of: object))).predicateOrTrap(node).holds(object)
    }
}

extension RealmCollection {
    /// Returns live results with the elements for which a condition holds. Traps in the same cases as ``filter(_:_:)``.
    package func filter(_ condition: QueryCondition) -> Results<Element> { filtered(condition.node) }

    /// Returns the position of the first element for which a condition holds, or nil; see ``index(matching:_:)``.
    package func index(matching condition: QueryCondition) -> Int? { firstPosition(condition.node) }
}

extension RealmKeyedCollection {
    /// Returns live results with the values for which a condition holds. Traps in the same cases as ``filter(_:_:)``.
    package func filter(_ condition: QueryCondition) -> Results<Value> { filtered(condition.node) }
}

extension QueryCondition: Equatable {
    /// Whether two conditions are known to be equal; false if they have values that cannot be compared.
    package static func == (a: QueryCondition, b: QueryCondition) -> Bool { a.node.isKnownToEqual(b.node) }
}

extension QueryNode {
    fileprivate func isKnownToEqual(_ other: QueryNode) -> Bool {
        switch (self, other) {
        case (.constant(let a), .constant(let b)): a == b
        case (.comparison(let a), .comparison(let b)): a.isKnownToEqual(b)
        case (.and(let a, let b), .and(let x, let y)), (.or(let a, let b), .or(let x, let y)):
            a.isKnownToEqual(x) && b.isKnownToEqual(y)
        case (.not(let a), .not(let b)): a.isKnownToEqual(b)
        case (.constant, _), (.comparison, _), (.and, _), (.or, _), (.not, _): false
        }
    }
}

extension QueryComparison {
    fileprivate func isKnownToEqual(_ other: QueryComparison) -> Bool {
        quantifier == other.quantifier && `operator` == other.operator && options == other.options
            && isImplied == other.isImplied && left.isKnownToEqual(other.left)
            && right.isKnownToEqual(other.right)
    }
}

extension QueryOperand {
    /// - Parameter isTerm: Whether the operand is calculated with: half of an integer is an integer, so that 1 and 1.0 differ.
    fileprivate func isKnownToEqual(_ other: QueryOperand, isTerm: Bool = false) -> Bool {
        switch (self, other) {
        case (.value(let a?), .value(let b?)) where isTerm && type(of: a) != type(of: b): false
        case (.value(let a), .value(let b)): QueryOperand.areKnownToBeEqual(a, b)
        case (.path(let a), .path(let b)): a.isKnownToEqual(b)
        case (.subquery(let a, let condition), .subquery(let b, let otherCondition)):
            a.isKnownToEqual(b) && condition.isKnownToEqual(otherCondition)
        case (.arithmetic(let a, let sign, let b), .arithmetic(let x, let otherSign, let y)):
            sign == otherSign && a.isKnownToEqual(x, isTerm: true) && b.isKnownToEqual(y, isTerm: true)
        case (.value, _), (.path, _), (.subquery, _), (.arithmetic, _): false
        }
    }

    /// Returns the number 1 or 0 for a truth value, as which Foundation's numbers compare, and other values unchanged.
    private static func plain(_ value: AnyHashable) -> AnyHashable {
        (value.base as? Bool).map { $0 ? 1 : 0 } ?? value
    }

    private static func areKnownToBeEqual(_ a: Any?, _ b: Any?) -> Bool {
        switch (flatten(a), flatten(b)) {
        case (nil, nil): return true
        case (let a?, let b?):
            if let a = a as? [Any], let b = b as? [Any] {
                return a.count == b.count && zip(a, b).allSatisfy { areKnownToBeEqual($0, $1) }
            }
            guard let a = hashable(a), let b = hashable(b) else { return false }
            return plain(a) == plain(b)
        default: return false
        }
    }
}

extension QueryPath {
    fileprivate func isKnownToEqual(_ other: QueryPath) -> Bool {
        components == other.components && isUnqualified == other.isUnqualified
            && aggregate?.function == other.aggregate?.function
            && aggregate?.components == other.aggregate?.components
    }
}
