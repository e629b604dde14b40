/// Values of properties in the older style, `RealmProperty` and `RealmOptional`.
extension Query {
    /// The value of the property, which compares like the value of a ``Persisted`` property.
    ///
    ///     people.where { $0.age.value > 5 }
    public subscript<Value>(dynamicMember member: KeyPath<_BareValue<Value>, Value>) -> Query<Value>
    where T == _BareValue<Value> {
        retyped()
    }
}
