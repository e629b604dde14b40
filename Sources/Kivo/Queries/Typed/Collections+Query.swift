extension List {
    public var _query: _CollectionQuery? { reference.map { _CollectionQuery(QueryState($0)) } }
}

extension MutableSet {
    public var _query: _CollectionQuery? { reference.map { _CollectionQuery(QueryState($0)) } }
}

extension LinkingObjects {
    public var _query: _CollectionQuery? { target.map { _CollectionQuery(QueryState($0)) } }
}

extension Map: RealmKeyedCollection {
    public var _query: _CollectionQuery? { references.map { _CollectionQuery(QueryState($0.values)) } }
}
