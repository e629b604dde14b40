/// Access to the stored values of enums and mapped types, for comparisons that these types do not support. For all other types,
/// the stored value is the value itself.
extension Query where T: _HasPersistedType {
    /// The stored value, for comparisons with values of the stored type.
    public var persistableValue: Query<T.PersistedType> { retyped() }
}

extension Query where T: RealmCollection {
    /// The stored values of the elements, for comparisons with values of the stored type.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { retyped() }
}

extension Query where T: RealmKeyedCollection {
    /// The stored values of the map, for comparisons with values of the stored type.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { retyped() }
}

extension Query where T: _CustomPersistable, T.PersistedType: _QueryString {
    /// Returns the condition that the stored value matches a pattern, in which `?` stands for any one character and `*` for any
    /// number of characters.
    public func like(_ pattern: T.PersistedType, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}
