#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif
import Dispatch

/// A type whose values ``RealmPublishers`` publish: objects, projections, collections and their sections. Do not conform other
/// types to it.
public protocol RealmSubscribable {
    /// Observes the value. Not for use by applications.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken
}

/// An event of an observation, as publishers receive it. Not for use by applications.
public enum _RealmSubscriptionEvent {
    /// The value before any change.
    case initial(Any)
    /// The value changed.
    case changed(Any)
    /// The value was deleted.
    case ended
}

extension RealmSubscribable where Self: ObjectBase {
    /// Observes the object. An unmanaged object is not observed.
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
    /// Observes the projection. A projection of an unmanaged object is not observed.
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
    /// Observes the collection. An unmanaged collection is not observed.
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

extension RealmSubscribable where Self: RealmKeyedCollection {
    /// Observes the map. An unmanaged map is not observed.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken {
        if realm == nil { return NotificationToken() }
        return _observe(keyPaths, on: queue) { (change: RealmMapChange<Self>) in
            switch change {
            case .initial(let map): receive(.initial(map))
            case .update(let map, _, _, _): receive(.changed(map))
            case .error: break
            }
        }
    }
}

extension RealmSubscribable where Self: RealmSectionedResult {
    /// Observes the sections.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ receive: @escaping (_RealmSubscriptionEvent) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue) { (change: SectionedResultsChange<Self>) in
            switch change {
            case .initial(let sections): receive(.initial(sections))
            case .update(let sections, _, _, _, _, _): receive(.changed(sections))
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
extension AnyRealmCollection: RealmSubscribable {}
extension Map: RealmSubscribable {}
extension SectionedResults: RealmSubscribable {}
extension ResultsSection: RealmSubscribable {}
#endif
