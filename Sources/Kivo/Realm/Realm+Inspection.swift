import KivoEngine

/// Access for tools that inspect files without declarations of their classes.
extension Realm {
    /// The snapshot that the realm reads, and its tables. Valid until the realm is refreshed.
    package var inspected: (snapshot: Snapshot, catalog: Catalog) {
        instance.checkConfinement()
        instance.updateCatalog()
        return (instance.snapshot, instance.catalog)
    }

    /// The open transaction, for changes to rows as they are stored. Traps if there is none.
    package var inspectedTransaction: WriteTransaction {
        instance.requireTransaction("change stored objects")
    }

    /// Returns the keys of the objects that a query finds, in its order. Traps if the query does not fit the class.
    package func keys(of query: TextQuery) -> [ObjectKey] { state(of: query).rows }

    /// Returns the result of a function, `min`, `max`, `sum` or `avg`, of a property of the objects that a query finds, with its
    /// type; nil if there is no result. Traps if the function cannot be applied to the property.
    package func aggregate(
        _ function: String, of property: String, _ query: TextQuery
    ) -> (cell: Cell, type: ScalarType)? {
        let function = QueryPath.Function(rawValue: function)!
        guard let (cell, type) = state(of: query).aggregate(function, property) else { return nil }
        if type.isInteger, case .wide = cell { return (cell, .decimal128) }
        let isFloating =
            type.isInteger ? function == .average : type == .float && function != .min && function != .max
        return (cell, isFloating ? .double : type)
    }

    func state(of query: TextQuery) -> QueryState {
        var objects = dynamicObjects(query.className)
        if let condition = query.condition { objects = objects.filtered(condition) }
        return (query.order.isEmpty ? objects : objects.sorted(by: query.order)).queryState!
    }

    /// Replaces the trap of the library with another handler, because a tool is not the program that made the mistake. Call this
    /// once, at the start.
    package static func whenTrapping(_ body: @escaping @Sendable (String) -> Never) {
        trapHandler.withLock { $0 = body }
    }
}

/// A query of the objects of a class that is written as text.
package struct TextQuery {
    package let className: String
    fileprivate var condition: QueryNode?
    /// The order of the objects, which is that of their keys if it is empty.
    package var order: [SortDescriptor]

    /// Creates a query for the objects of a class, all of them or those for which a predicate holds.
    ///
    /// - Parameter arguments: Texts for the placeholders of the predicate, which are removed. A placeholder for numbers takes the
    ///   number that its text represents.
    /// - Throws: ``Realm/Error`` if the predicate is malformed or an argument is missing or no number.
    package init(
        _ className: String, where predicate: String?, taking arguments: inout ArraySlice<String>,
        order: [SortDescriptor] = []
    ) throws {
        (self.className, self.order) = (className, order)
        guard let predicate else { return }
        do {
            let values = try TextQuery.values(predicate, taking: &arguments)
            condition = try PredicateParser.parse(predicate, values)
        } catch {
            throw Realm.Error(.invalidInput, "The predicate is malformed. \(error)")
        }
    }

    /// The paths from the objects that the condition reads, as names of properties. Those inside of subqueries are left out.
    package var paths: [[String]] { condition?.paths.map(\.propertyNames) ?? [] }

    private static func values(
        _ predicate: String, taking arguments: inout ArraySlice<String>
    ) throws(PredicateSyntaxError) -> [Any?] {
        var values: [Any?] = []
        var numbered = 0
        for token in try PredicateLexer.tokens(of: predicate) {
            switch token.kind {
            case .argument, .keyPathArgument:
                if let text = arguments.popFirst() { values.append(text) }
            case .numberArgument:
                guard let text = arguments.popFirst() else { break }
                guard let number: Any = Int(text) ?? Double(text) else {
                    throw PredicateSyntaxError(
                        .refused("'\(token.text)' takes a number, not '\(text)'"), atScalar: token.offset,
                        of: predicate)
                }
                values.append(number)
            case .variable(let name): numbered = max(numbered, Int(name).map { $0 + 1 } ?? 0)
            default: break
            }
        }
        while values.count < numbered, let text = arguments.popFirst() { values.append(text) }
        return values
    }
}

extension QueryNode {
    fileprivate var paths: [QueryPath] {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.left.paths + comparison.right.paths
        case .and(let left, let right), .or(let left, let right): left.paths + right.paths
        case .not(let node): node.paths
        }
    }
}

extension QueryOperand {
    fileprivate var paths: [QueryPath] {
        switch self {
        case .value: []
        case .path(let path), .subquery(let path, _): [path]
        case .arithmetic(let left, _, let right): left.paths + right.paths
        }
    }
}

extension QueryPath {
    /// The names of the properties up to the first other component.
    fileprivate var propertyNames: [String] {
        var names: [String] = []
        for component in components {
            guard case .property(let name) = component else { return names }
            names.append(name)
        }
        return names
    }
}
