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

    /// Returns the way in which a query finds its objects. Traps if the query does not fit the class.
    package func explanation(of query: TextQuery) -> QueryExplanation {
        let (snapshot, catalog) = inspected
        return state(of: query).query.explanation(snapshot, catalog)
    }

    /// Returns the result of a function, `min`, `max`, `sum` or `avg`, of a property of the objects that a query finds, with its
    /// type; nil if there is no result. Traps if the function cannot be applied to the property.
    package func aggregate(
        _ function: String, of property: String, _ query: TextQuery
    ) -> (cell: Cell, type: ScalarType)? {
        let function = QueryPath.Function(rawValue: function)!
        guard let (cell, type) = state(of: query).aggregate(function, property) else { return nil }
        return (cell, type.result(of: function, cell))
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

extension ScalarType {
    /// Returns the type of a function's result for values of this type.
    func result(of function: QueryPath.Function, _ cell: Cell) -> ScalarType {
        if isInteger, case .wide = cell { return .decimal128 }
        let isFloating =
            isInteger ? function == .average : self == .float && function != .min && function != .max
        return isFloating ? .double : self
    }
}
