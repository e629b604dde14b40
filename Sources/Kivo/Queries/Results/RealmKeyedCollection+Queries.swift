import Foundation

/// Queries over the map's values. Objects that are nil are left out.
extension RealmKeyedCollection {
    /// Returns the values as results. Traps if the map is unmanaged.
    private func results(_ purpose: String) -> Results<Value> {
        guard let query = _query else {
            trap("Cannot \(purpose) an unmanaged map: add its object to a realm first.")
        }
        return Results(query.state)
    }

    /// Returns live results with the values for which a query holds, in the order of their keys; see
    /// ``RealmCollection/where(_:)``. Traps if the map is unmanaged.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        results("filter").where(isIncluded)
    }

    /// Returns live results with the values for which a predicate holds, in the order of their keys; see
    /// ``RealmCollection/filter(_:_:)``. Traps if the predicate is malformed or invalid for the values, or if the map is
    /// unmanaged.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        Results(results("filter").state.filtered(QueryNode.parsing(predicateFormat, args)))
    }

    /// Unavailable: the condition in a block is opaque, so that it can neither use an index nor be updated incrementally.
    @available(
        *, unavailable,
        message:
            "write the condition as 'where { $0.age > 5 }' or as a predicate string, 'filter(\"age > %@\", 5)'"
    )
    public func filter(_ predicate: NSPredicate) -> Results<Value> { trap("unavailable") }

    /// Returns live results with the values in the order of some sort keys. Stable. Traps if the map is unmanaged, or if a key
    /// path does not lead to one value.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Element == SortDescriptor {
        results("sort").sorted(by: sortDescriptors)
    }

    /// Returns live results with the values in the order of one key path. Stable.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results("sort").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// Returns live results with the objects in the order of one key path. Stable.
    public func sorted<Target: ObjectBase, Property: _HasPersistedType>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Value> where Value == Target?, Property.PersistedType: SortableType {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// Returns live results with the values in their own order. Stable.
    public func sorted(ascending: Bool = true) -> Results<Value> where Value.PersistedType: SortableType {
        results("sort").sorted(ascending: ascending)
    }
}
