/// Finding a projection in another instance of its realm, by its root.
extension ThreadConfined where Self: ProjectionObservable {
    public var _handover: (Realm) -> Self? {
        let (root, make) = (rootObject._handover, type(of: self))
        return { realm in root(realm).map { make.init(projecting: $0) } }
    }
}

extension ProjectedCollection {
    public var _handover: (Realm) -> ProjectedCollection? {
        let handover = elements.handover
        return { realm in handover(realm).map { ProjectedCollection($0) } }
    }
}
