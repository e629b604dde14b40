/// What queries of a collection start from. Not for use by applications.
public struct _CollectionQuery {
    let state: QueryState

    init(_ state: QueryState) { self.state = state }
}
