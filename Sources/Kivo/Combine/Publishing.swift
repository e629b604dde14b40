#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif

extension Realm {
    /// Publishes whenever this instance moves to another version, and when it should be refreshed.
    public var objectWillChange: RealmPublishers.RealmWillChange {
        RealmPublishers.RealmWillChange(realm: self)
    }
}

extension Object: ObservableObject {
    /// Publishes whenever the object changed.
    public var objectWillChange: RealmPublishers.WillChange<Object> { RealmPublishers.WillChange(self) }
}

extension EmbeddedObject: ObservableObject {
    /// Publishes whenever the object changed.
    public var objectWillChange: RealmPublishers.WillChange<EmbeddedObject> {
        RealmPublishers.WillChange(self)
    }
}

extension Projection: ObservableObject {
    /// Publishes whenever a value that the projection shows changed.
    public var objectWillChange: RealmPublishers.WillChange<Projection> { RealmPublishers.WillChange(self) }
}

extension List: ObservableObject {
    /// Publishes whenever the list, or an object in it, changed.
    public var objectWillChange: RealmPublishers.WillChange<List> { RealmPublishers.WillChange(self) }
}

extension MutableSet: ObservableObject {
    /// Publishes whenever the set, or an object in it, changed.
    public var objectWillChange: RealmPublishers.WillChange<MutableSet> { RealmPublishers.WillChange(self) }
}

extension Map: ObservableObject {
    /// Publishes whenever the map, or an object in it, changed.
    public var objectWillChange: RealmPublishers.WillChange<Map> { RealmPublishers.WillChange(self) }
}

extension RealmCollection where Self: RealmSubscribable {
    /// Publishes whenever the collection, or an object in it, changed.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// Publishes the collection at the beginning and whenever it, or an object in it, changed.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

    /// Publishes the collection at the beginning and whenever it, or a value that key paths of its elements name, changed.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths: keyPaths)
    }

    /// Publishes the changes of the collection, `.initial` first.
    public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> {
        changesetPublisher(keyPaths: nil)
    }

    /// Publishes the changes of the collection, `.initial` first; of its elements, only changes that the key paths name.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.CollectionChangeset<Self> {
        RealmPublishers.Changeset { self._observe(keyPaths, on: $0, calling: $1) }
    }
}

extension RealmKeyedCollection where Self: RealmSubscribable {
    /// Publishes whenever the map, or an object in it, changed.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// Publishes the map at the beginning and whenever it, or an object in it, changed.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

    /// Publishes the map at the beginning and whenever it, or a value that key paths of its objects name, changed.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths: keyPaths)
    }

    /// Publishes the changes of the map, `.initial` first.
    public var changesetPublisher: RealmPublishers.MapChangeset<Self> { changesetPublisher(keyPaths: nil) }

    /// Publishes the changes of the map, `.initial` first; of its objects, only changes that the key paths name.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.MapChangeset<Self> {
        RealmPublishers.Changeset { self._observe(keyPaths, on: $0, calling: $1) }
    }
}

extension RealmSectionedResult where Self: RealmSubscribable {
    /// Publishes whenever the sections, or an object in them, changed.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// Publishes the sections at the beginning and whenever they, or an object in them, changed.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

    /// Publishes the sections at the beginning and whenever they, or values that key paths of their elements name, changed.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths: keyPaths)
    }

    /// Publishes the changes of the sections, `.initial` first.
    public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Self> {
        changesetPublisher(keyPaths: nil)
    }

    /// Publishes the changes of the sections, `.initial` first; of their elements, only changes that the key paths name.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.SectionedResultsChangeset<Self> {
        RealmPublishers.Changeset { self._observe(keyPaths, on: $0, calling: $1) }
    }
}

/// Publishes an object whenever it, or a value that the key paths name, changed. Finishes when the object is deleted.
public func valuePublisher<T: Object>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
    RealmPublishers.Value(object, keyPaths: keyPaths)
}

/// Publishes a collection at the beginning and whenever it, or a value that key paths of its elements name, changed.
public func valuePublisher<T: RealmCollection & RealmSubscribable>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(collection, keyPaths: keyPaths) }

/// Publishes a projection whenever a value that it shows changed. Finishes when its root is deleted.
public func valuePublisher<T: ProjectionObservable & RealmSubscribable>(
    _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(projection, keyPaths: keyPaths) }

/// Publishes the changes of an object, or only those that the key paths name. Finishes when the object is deleted, without a last
/// change.
public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.Changeset(isEnd: { if case .deleted = $0 { true } else { false } }) {
        object._observe(keyPaths, on: $0, calling: $1)
    }
}

/// Publishes the changes of a collection, `.initial` first.
public func changesetPublisher<T: RealmCollection>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<T> {
    RealmPublishers.Changeset { collection._observe(keyPaths, on: $0, calling: $1) }
}

/// Publishes the changes of a map, `.initial` first.
public func changesetPublisher<T: RealmKeyedCollection>(
    _ map: T, keyPaths: [String]? = nil
) -> RealmPublishers.MapChangeset<T> {
    RealmPublishers.Changeset { map._observe(keyPaths, on: $0, calling: $1) }
}

/// Publishes the changes of the values that a projection shows. Finishes when its root is deleted, without a last change.
public func changesetPublisher<T: ProjectionObservable>(
    _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.Changeset(isEnd: { if case .deleted = $0 { true } else { false } }) {
        projection._observe(keyPaths, on: $0, calling: $1)
    }
}
#endif
