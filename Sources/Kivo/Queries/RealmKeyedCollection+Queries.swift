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
    public func sorted<Target: ObjectBase, Property: SortableType>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Value> where Value == Target? {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// The values in their own order, live. Stable.
    public func sorted(ascending: Bool = true) -> Results<Value> where Value: SortableType {
        results("sort").sorted(ascending: ascending)
    }
}

/// Aggregates of the values.
extension RealmKeyedCollection {
    /// Makes something of the values, where they are.
    func aggregate<Answer>(
        _ answer: (Results<Value>) -> Answer, unmanaged: (List<Value>) -> Answer
    ) -> Answer {
        if let query = _query { return answer(Results(query.state)) }
        let list = List<Value>()
        list.append(objectsIn: values)
        return unmanaged(list)
    }

    /// The smallest value of a property or key path of the objects, by name, or nil if there is none. O(n). Traps if there
    /// is no such property or it is no number and no date.
    public func min<Property: MinMaxType & _Scalar>(ofProperty property: String) -> Property? {
        aggregate {
            $0.min(ofProperty: property)
        } unmanaged: {
            $0.min(ofProperty: property)
        }
    }

    /// The largest value of a property or key path of the objects, by name, or nil if there is none. O(n). Traps if there
    /// is no such property or it is no number and no date.
    public func max<Property: MinMaxType & _Scalar>(ofProperty property: String) -> Property? {
        aggregate {
            $0.max(ofProperty: property)
        } unmanaged: {
            $0.max(ofProperty: property)
        }
    }

    /// The sum of the values of a property or key path of the objects, by name, 0 if there are none. O(n). Traps if there
    /// is no such property, if it is no number, and if the sum does not fit.
    public func sum<Property: AddableType & _Scalar>(ofProperty property: String) -> Property {
        aggregate {
            $0.sum(ofProperty: property)
        } unmanaged: {
            $0.sum(ofProperty: property)
        }
    }

    /// The average of the values of a property or key path of the objects, by name, or nil if there are none. O(n). Traps
    /// if there is no such property or it is no number.
    public func average(ofProperty property: String) -> Double? {
        aggregate {
            $0.average(ofProperty: property)
        } unmanaged: {
            $0.average(ofProperty: property)
        }
    }

    /// The smallest value of a property of the objects, or nil if there is none. O(n).
    public func min<Target: ObjectBase, Property: MinMaxType & _Scalar>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target? {
        min(ofProperty: KeyPathName.of(keyPath))
    }

    /// The largest value of a property of the objects, or nil if there is none. O(n).
    public func max<Target: ObjectBase, Property: MinMaxType & _Scalar>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target? {
        max(ofProperty: KeyPathName.of(keyPath))
    }

    /// The sum of the values of a property of the objects, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Target: ObjectBase, Property: AddableType & _Scalar>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property where Value == Target? {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the values of a property of the objects, or nil if there are none. O(n).
    public func average<Target: ObjectBase, Property: AddableType & _Scalar>(
        of keyPath: KeyPath<Target, Property>
    ) -> Double? where Value == Target? {
        average(ofProperty: KeyPathName.of(keyPath))
    }

    /// The smallest value that is not nil, or nil if there is none. O(n).
    public func min<Wrapped: _Scalar & MinMaxType & Comparable>() -> Wrapped? where Value == Wrapped? {
        aggregate {
            $0.min()
        } unmanaged: {
            $0.min()
        }
    }

    /// The largest value that is not nil, or nil if there is none. O(n).
    public func max<Wrapped: _Scalar & MinMaxType & Comparable>() -> Wrapped? where Value == Wrapped? {
        aggregate {
            $0.max()
        } unmanaged: {
            $0.max()
        }
    }

    /// The sum of the values that are not nil, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Wrapped: _Scalar & AddableType>() -> Wrapped where Value == Wrapped? {
        aggregate {
            $0.sum()
        } unmanaged: {
            $0.sum()
        }
    }

    /// The average of the values that are not nil, or nil if there are none. O(n).
    public func average<Wrapped: _Scalar & AddableType>() -> Double? where Value == Wrapped? {
        aggregate {
            $0.average()
        } unmanaged: {
            $0.average()
        }
    }
}

extension RealmKeyedCollection where Value: _Scalar & MinMaxType & Comparable {
    /// The smallest value, or nil if there is none. O(n).
    public func min() -> Value? {
        aggregate {
            $0.min()
        } unmanaged: {
            $0.min()
        }
    }
    /// The largest value, or nil if there is none. O(n).
    public func max() -> Value? {
        aggregate {
            $0.max()
        } unmanaged: {
            $0.max()
        }
    }
}

extension RealmKeyedCollection where Value: _Scalar & AddableType {
    /// The sum of the values, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum() -> Value {
        aggregate {
            $0.sum()
        } unmanaged: {
            $0.sum()
        }
    }
    /// The average of the values, or nil if there are none. O(n).
    public func average() -> Double? {
        aggregate {
            $0.average()
        } unmanaged: {
            $0.average()
        }
    }
}
