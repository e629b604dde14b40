#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif
import Dispatch

/// What ``RealmPublishers`` can publish values of: objects, collections and projections. Not for adopting.
public protocol RealmSubscribable {
    /// Observes the value. Not for use by applications.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken
}

/// What is told to publishers. Not for use by applications.
public enum _RealmSubscriptionEvent {
    /// The value is there, before any change.
    case initial(Any)
    /// The value changed.
    case changed(Any)
    /// The value is gone.
    case ended
}

extension RealmSubscribable where Self: ObjectBase {
    /// Observes the object. One that is unmanaged is not observed.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken {
        if realm == nil { return NotificationToken() }
        return _observe(keyPaths, on: queue) { (change: ObjectChange<ObjectBase>) in
            switch change {
            case .change(let object, _): receive(.changed(object))
            case .deleted: receive(.ended)
            case .error: break
            }
        }
    }
}

extension RealmSubscribable where Self: ProjectionObservable {
    /// Observes the projection. One of an unmanaged object is not observed.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken {
        if realm == nil { return NotificationToken() }
        return _observe(keyPaths, on: queue) { (change: ObjectChange<Self>) in
            switch change {
            case .change(let projection, _): receive(.changed(projection))
            case .deleted: receive(.ended)
            case .error: break
            }
        }
    }
}

extension RealmSubscribable where Self: RealmCollection {
    /// Observes the collection. One that is unmanaged is not observed.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken {
        if realm == nil { return NotificationToken() }
        return _observe(keyPaths, on: queue) { (change: RealmCollectionChange<Self>) in
            switch change {
            case .initial(let collection): receive(.initial(collection))
            case .update(let collection, _, _, _): receive(.changed(collection))
            case .error: break
            }
        }
    }
}

extension Object: RealmSubscribable {}
extension EmbeddedObject: RealmSubscribable {}
extension Projection: RealmSubscribable {}
extension Results: RealmSubscribable {}
extension List: RealmSubscribable {}
extension MutableSet: RealmSubscribable {}
extension LinkingObjects: RealmSubscribable {}

extension Map: RealmSubscribable {
    /// Observes the map. One that is unmanaged is not observed.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken {
        if realm == nil { return NotificationToken() }
        return _observe(keyPaths, on: queue) { (change: RealmMapChange<Map>) in
            switch change {
            case .initial(let map): receive(.initial(map))
            case .update(let map, _, _, _): receive(.changed(map))
            case .error: break
            }
        }
    }
}
#endif
