import KivoEngine

/// A database of live objects, as one thread or serial queue sees it.
///
/// A `Realm` belongs to the thread, queue or actor on which it was opened, and so do its objects and collections; using them
/// elsewhere traps. Opening the same file again on the same thread returns the same instance. Reads see one version of the data
/// until the instance is refreshed; writes are transactions of one writer at a time.
///
///     let realm = try Realm()
///     try realm.write { realm.add(dog) }
@frozen
public struct Realm {
    private let instanceOwner: InstanceOwner
    var instance: RealmInstance { instanceOwner.instance }

    init(_ instanceOwner: InstanceOwner) { self.instanceOwner = instanceOwner }

    init(_ instance: RealmInstance) { instanceOwner = instance.instanceOwner }

    /// The configuration that the realm was opened with.
    public var configuration: Configuration { instance.configuration }

    /// A Boolean value that indicates whether the realm holds no objects.
    ///
    /// - Complexity: O(classes).
    public var isEmpty: Bool {
        instance.checkConfinement()
        let (snapshot, tables) = (instance.snapshot, instance.catalog.tables)
        return tables.indices.allSatisfy { tables[$0].isInternal || snapshot.table($0).count == 0 }
    }
}

extension Realm {
    /// The number of live instances of this data, on all threads; for tests. Frozen instances do not count.
    package var instanceCount: Int { instance.store.instanceCount }

    /// The number of observers of this instance, and of rows that are observed by key path, for tests.
    package var observerCount: Int {
        instance.listeners.count + instance.observers.count + instance.rowNotifier.count
    }

    /// The number of versions of the data that are held, for tests.
    package var versionCount: Int { instance.store.versionCount }
}

#if DEBUG
extension Realm {
    /// The number of listeners, and groups of them, that commits have examined, for tests of growth.
    package var listenerWork: Int { instance.listeners.index.work }

    /// Whether every listener is asked at every delivery: the slow model that tests compare with.
    package var asksEveryListener: Bool {
        get { instance.listeners.index.asksEveryListener }
        nonmutating set { instance.listeners.index.asksEveryListener = newValue }
    }
}
#endif

extension Realm: Equatable {
    /// Returns a Boolean value that indicates whether two values are the same instance: the same data on the same thread or
    /// queue.
    public static func == (a: Realm, b: Realm) -> Bool { a.instance === b.instance }
}

extension ObjectBase {
    /// The realm that the object belongs to, or belonged to before it was deleted. Nil while the object is unmanaged and after
    /// the realm was invalidated.
    public final var realm: Realm? {
        guard isManaged, let instance = kivoInstance else { return nil }
        return instance.isInvalidated(kivoRow) ? nil : Realm(instance)
    }
}
