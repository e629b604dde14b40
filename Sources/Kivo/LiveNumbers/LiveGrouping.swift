import KivoEngine
import KivoObserving

extension RealmCollection where Element: ObjectBase {
    /// Returns the groups of elements with equal values of a property, of which there are live numbers.
    ///
    ///     let counts = realm.objects(Order.self).grouped(by: \.shop).count
    ///     let token = counts.observe { change in … }
    ///
    /// - Parameter keyPath: the property whose value is the key of an element's group. It can be behind links.
    /// - Complexity: O(1): nothing is computed before a number is read or observed.
    /// - Precondition: The collection is managed. The key path leads to a persisted property that is not a link and whose values are of
    ///   one type; it unwraps no link with `!`.
    public func grouped<Key: RealmCollectionValue>(by keyPath: KeyPath<Element, Key>) -> LiveGrouping<
        Key, Element
    > {
        let name = KeyPathName.of(keyPath)
        let (query, key) = groupKey(name)
        if name.contains("."), !(Key.self is any AnyOptional.Type) {
            trap(
                """
                Elements cannot be grouped by '\(name)' as '\(Key.self)', because a link on the way can be nil: write the key path \
                with '?' in place of '!'.
                """)
        }
        let context = CollectionContext(instance: query.instance, elements: nil)
        let keys = GroupKeys<Key>(key: { Key.element(of: $0, context) }, cell: { $0.cell(in: context) })
        return LiveGrouping(query: query, key: key, keys: keys)
    }

    /// Returns the groups of elements with equal values of a property, by name; see `grouped(by:)` with a key path. The keys
    /// are values of any type.
    ///
    /// - Complexity: O(1): nothing is computed before a number is read or observed.
    /// - Precondition: The collection is managed. The name is that of a persisted property that is not a link and whose values are of
    ///   one type.
    public func grouped(by property: String) -> LiveGrouping<AnyRealmValue, Element> {
        let (query, key) = groupKey(property)
        let type = QueryValueType.scalar(key.type)
        let keys = GroupKeys<AnyRealmValue>(
            key: { cell in AnyRealmValue(plain: type.anyCell?(cell) ?? cell) ?? .none },
            cell: { value in (try? type.cell(of: AnyRealmValue.toAny(value))) ?? nil })
        return LiveGrouping(query: query, key: key, keys: keys)
    }

    private func groupKey(_ name: String) -> (QueryState, GroupState.Path) {
        guard let query = queryState, let elements = query.elements else {
            trap("An unmanaged collection has no groups: add its object to a realm first.")
        }
        let key = QueryMismatch.trapping { () throws(QueryMismatch) in
            try RowScope(elements).groupKey(name)
        }
        return (query, key)
    }
}

/// Groups of elements with equal values of a property; see `grouped(by:)`.
public struct LiveGrouping<Key: Hashable, Element: ObjectBase> {
    let query: QueryState
    let key: GroupState.Path
    let keys: GroupKeys<Key>

    /// The number of elements of each group.
    ///
    /// - Complexity: O(1).
    public var count: LiveGroups<Key, Int> {
        LiveGroups(GroupState(query, by: key, nil), keys) { Int(cell: $0) }
    }

    /// Returns the sum of the values of a property in each group, by name.
    ///
    /// - Complexity: O(1).
    /// - Precondition: There is such a property, and it is a number.
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> LiveGroups<Key, Value>
    where Value.PersistedType: AddableType {
        groups(.sum, property) { ($0 ?? .ofNothing(.sum, property)!).converted(to: Value.self) }
    }

    /// Returns the average of the values of a property in each group, by name; nil in a group in which all of them are nil.
    ///
    /// - Complexity: O(1).
    /// - Precondition: There is such a property, and it is a number.
    public func average(ofProperty property: String) -> LiveGroups<Key, Double?> {
        groups(.average, property) { $0?.converted(to: Double.self) }
    }

    /// Returns the sum of the values of a property in each group.
    ///
    /// - Complexity: O(1).
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> LiveGroups<Key, Value>
    where Value.PersistedType: AddableType { sum(ofProperty: KeyPathName.of(keyPath)) }

    /// Returns the sum of the values of an optional property in each group; nil counts as 0.
    ///
    /// - Complexity: O(1).
    public func sum<Value: _OptionalPersistable>(
        of keyPath: KeyPath<Element, Value?>
    ) -> LiveGroups<Key, Value>
    where Value.PersistedType: AddableType { sum(ofProperty: KeyPathName.of(keyPath)) }

    /// Returns the average of the values of a property in each group; nil in a group in which all of them are nil.
    ///
    /// - Complexity: O(1).
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> LiveGroups<
        Key, Double?
    >
    where Value.PersistedType: AddableType { average(ofProperty: KeyPathName.of(keyPath)) }

    private func groups<Value>(
        _ function: QueryPath.Function, _ property: String, _ convert: @escaping (AggregateValue?) -> Value
    ) -> LiveGroups<Key, Value> {
        let values = query.values(function, property)
        return LiveGroups(GroupState(query, by: key, (function, values)), keys) {
            convert(AggregateValue($0, values.type, function, property))
        }
    }
}

@available(*, unavailable)
extension LiveGrouping: Sendable {}
