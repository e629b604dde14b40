import Foundation

/// Queries over the map's values. Objects that are nil are left out.
extension RealmKeyedCollection {
    /// Returns the values as results. Traps if the map is unmanaged.
    private func results(_ purpose: String) -> Results<Value> {
        guard let query = queryState else {
            trap("Cannot \(purpose) an unmanaged map: add its object to a realm first.")
        }
        return Results(query)
    }

    /// Returns live results with the values for which a query holds, in the order of their keys; see
    /// ``RealmCollection/where(_:)``.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n).
    /// - Precondition: The map is managed.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        results("filter").where(isIncluded)
    }

    /// Returns live results with the values for which a predicate holds, in the order of their keys; see
    /// ``RealmCollection/filter(_:_:)``.
    ///
    /// - Complexity: O(p) for a predicate of p characters; the results are evaluated at the first read, in O(n).
    /// - Precondition: The map is managed, and the predicate is well-formed and valid for its values.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        filtered(QueryNode.parsing(predicateFormat, args))
    }

    /// Returns live results with the values for which a condition holds.
    func filtered(_ condition: QueryNode) -> Results<Value> {
        Results(results("filter").state.filtered(condition))
    }

    /// Unavailable: the condition in a block is opaque, so that it can neither use an index nor be updated incrementally.
    @available(
        *, unavailable,
        message:
            "write the condition as 'where { $0.age > 5 }' or as a predicate string, 'filter(\"age > %@\", 5)'"
    )
    public func filter(_ predicate: NSPredicate) -> Results<Value> { trap("unavailable") }

    /// Returns live results with the values in the order of some sort keys. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    /// - Precondition: The map is managed, and each key path leads to one value.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Element == SortDescriptor {
        results("sort").sorted(by: sortDescriptors)
    }

    /// Returns live results with the values in the order of one key path. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results("sort").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// Returns live results with the objects in the order of one key path. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted<Target: ObjectBase, Property: _HasPersistedType>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Value> where Value == Target?, Property.PersistedType: SortableType {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// Returns live results with the values in their own order. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted(ascending: Bool = true) -> Results<Value> where Value.PersistedType: SortableType {
        results("sort").sorted(ascending: ascending)
    }
}
