import Kivo

/// A subject of notifications: a realm, an object, a projection, a collection, a map or sections.
public protocol Listenable {
    /// Begins to record the changes that a listener receives on the current thread or queue.
    ///
    /// - Parameters:
    ///   - recorder: the recorder of the changes.
    ///   - keyPaths: the key paths to listen to; nil for all of them. Realms have none.
    /// - Returns: the token of the listener.
    func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken
}

extension Realm: Listenable {
    /// Records the notifications of a realm.
    ///
    /// - Precondition: There are no key paths.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        precondition(keyPaths == nil, "A realm has no key paths.")
        return observe { [weak recorder] notification, _ in recorder?.record(notification) }
    }
}

extension ObjectBase: Listenable {
    /// Records the changes of an object.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        observe(keyPaths: keyPaths) { [weak recorder] (change: ObjectChange<ObjectBase>) in
            recorder?.record(change)
        }
    }
}

extension Projection: Listenable {
    /// Records the changes of a projection.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        observe(keyPaths: keyPaths) { [weak recorder] change in recorder?.record(change) }
    }
}

extension Listenable where Self: RealmCollection {
    /// Records the changes of a collection.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        observe(keyPaths: keyPaths, on: nil) { [weak recorder] change in recorder?.record(change) }
    }
}

extension Results: Listenable {}
extension List: Listenable {}
extension MutableSet: Listenable {}
extension LinkingObjects: Listenable {}
extension AnyRealmCollection: Listenable {}

extension ProjectedCollection: Listenable {
    /// Records the changes of a projected collection.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        observe(keyPaths: keyPaths) { [weak recorder] change in recorder?.record(change) }
    }
}

extension Map: Listenable {
    /// Records the changes of a map.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        observe(keyPaths: keyPaths) { [weak recorder] change in recorder?.record(change) }
    }
}

extension Listenable where Self: RealmSectionedResult {
    /// Records the changes of sections, or of one.
    public func listen(_ recorder: ChangeRecorder, keyPaths: [String]?) -> NotificationToken {
        observe(keyPaths: keyPaths, on: nil) { [weak recorder] change in recorder?.record(change) }
    }
}

extension SectionedResults: Listenable {}
extension ResultsSection: Listenable {}
