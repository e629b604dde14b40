/// A collection from which queries can start.
protocol QueryBase {
    /// The state from which queries of the collection start; nil if it is unmanaged.
    var baseQuery: QueryState? { get }
}

extension List: QueryBase {
    var baseQuery: QueryState? { reference.map { QueryState($0) } }
}

extension MutableSet: QueryBase {
    var baseQuery: QueryState? { reference.map { QueryState($0) } }
}

extension LinkingObjects: QueryBase {
    var baseQuery: QueryState? { target.map { QueryState($0) } }
}

extension Map: QueryBase {
    var baseQuery: QueryState? { references.map { QueryState($0.values) } }
}

extension Results: QueryBase {
    var baseQuery: QueryState? { state }
}

extension AnyRealmCollection: QueryBase {
    var baseQuery: QueryState? { base.queryState }
}

extension RealmCollection {
    /// The state from which queries of the collection start; nil if it is unmanaged.
    var queryState: QueryState? { (self as? any QueryBase)?.baseQuery }
}

extension RealmKeyedCollection {
    /// The state from which queries of the values start; nil if the map is unmanaged.
    var queryState: QueryState? { (self as? any QueryBase)?.baseQuery }
}
