/// What is stored of enums and mapped types, for comparisons that these have not. Of all other types it is the value itself.
extension Query where T: _HasPersistedType {
    /// What is stored, for comparisons with values of that type.
    public var persistableValue: Query<T.PersistedType> { retyped() }
}

extension Query where T: RealmCollection {
    /// What is stored of the elements, for comparisons with values of that type.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { retyped() }
}

extension Query where T: RealmKeyedCollection {
    /// What is stored of the map's values, for comparisons with values of that type.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { retyped() }
}

extension Query where T: _CustomPersistable, T.PersistedType: _QueryString {
    /// Whether what is stored is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ pattern: T.PersistedType, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}
