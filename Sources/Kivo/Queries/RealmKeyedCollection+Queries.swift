import Foundation

/// Queries over the values. Objects that are nil are left out.
extension RealmKeyedCollection {
    /// The values. Traps if the map is unmanaged.
    private func results(_ purpose: String) -> Results<Value> {
        guard let query = _query else {
            trap("Cannot \(purpose) an unmanaged map: add its object to a realm first.")
        }
        return Results(query.state)
    }

    /// The values for which a query holds, live, in the order of their keys; see ``RealmCollection/where(_:)``. Traps if
    /// the map is unmanaged.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        results("filter").where(isIncluded)
    }

    /// The values for which a predicate holds, live, in the order of their keys; see ``RealmCollection/filter(_:_:)``.
    /// Traps if the predicate is malformed or makes no sense for the values, and if the map is unmanaged.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        Results(results("filter").state.filtered(QueryNode.parsing(predicateFormat, args)))
    }

    /// Unavailable: what a block asks cannot be looked up or followed.
    @available(
        *, unavailable,
        message:
            "write the condition as 'where { $0.age > 5 }' or as a predicate string, 'filter(\"age > %@\", 5)'"
    )
    public func filter(_ predicate: NSPredicate) -> Results<Value> { trap("unavailable") }

    /// The values in the order of keys to sort by, live. Stable. Traps if unmanaged, and on key paths that do not lead to
    /// one value.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Element == SortDescriptor {
        results("sort").sorted(by: sortDescriptors)
    }

    /// The values in the order of one key path, live. Stable.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results("sort").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The objects in the order of one key path, live. Stable.
    public func sorted<Target: ObjectBase, Property: _HasPersistedType>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Value> where Value == Target?, Property.PersistedType: SortableType {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// The values in their own order, live. Stable.
    public func sorted(ascending: Bool = true) -> Results<Value> where Value.PersistedType: SortableType {
        results("sort").sorted(ascending: ascending)
    }
}
