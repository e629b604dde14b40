/// The state from which queries of a collection start. Not for use by apps.
public struct _CollectionQuery {
    let state: QueryState

    init(_ state: QueryState) { self.state = state }
}
