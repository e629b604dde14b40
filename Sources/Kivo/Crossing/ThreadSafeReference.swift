import KivoEngine

/// A reference that takes a managed object or collection to another thread, queue or actor.
///
///     let reference = ThreadSafeReference(to: dog)
///     queue.async {
///         let realm = try! Realm(configuration: configuration, queue: queue)
///         guard let dog = realm.resolve(reference) else { return }   // it was deleted
///         print(dog.name)
///     }
///
/// Create it in the context to which the value is confined. It can be resolved once, anywhere: see ``Realm/resolve(_:)``. It
/// keeps the version in which it was created in memory until it is resolved or released. Copies are the same reference.
///
/// From realm-swift's page "React to Changes", "React to Changes on a Different Actor".
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    let passage: Passage<Confined>

    /// Creates a reference to an object or a collection.
    ///
    /// A reference to an object that was added in an open write transaction finds it after the commit. A reference created after
    /// an asynchronous commit finds the added objects once the commit is durable, because other instances see it only then.
    ///
    /// - Complexity: O(1).
    /// - Precondition: The value is managed (only a realm can find a value again), not invalidated, and confined to the current
    ///   context.
    public init(to threadConfined: Confined) {
        passage = Passage(Departure(of: threadConfined, "refer to"))
    }

    /// A Boolean value that indicates whether the reference has been resolved, successfully or not. It cannot be resolved again.
    /// Can be read on any thread.
    public var isInvalidated: Bool { passage.isTaken }
}

/// A departure that can be taken once. Thread-safe.
final class Passage<Confined: ThreadConfined>: Sendable {
    private let departure: Lock<Departure<Confined>?>

    init(_ departure: Departure<Confined>) { self.departure = Lock(departure) }

    var isTaken: Bool { departure.withLock { $0 == nil } }

    /// Returns the departure on the first call, and nil afterwards.
    func take() -> Departure<Confined>? {
        departure.withLock { departure in
            defer { departure = nil }
            return departure
        }
    }
}

extension Realm {
    /// Returns the object or collection of a reference in this instance, or nil if it no longer exists there or belongs to other
    /// data.
    ///
    /// An instance that has read nothing yet begins at the version in which the reference was created. Until the instance is
    /// refreshed, later commits are not visible, and an object that was deleted since can be read. If the reference was created
    /// inside a write, or at a version that is not durable yet, the instance begins at the newest version instead.
    ///
    /// An instance at an older version is refreshed, which delivers notifications before this returns. Inside a write an instance
    /// is never older. Inside a notification no refresh is possible: later additions are not found there. References to frozen
    /// values are resolved in the version that the instance shows, in a frozen realm too.
    ///
    /// From realm-swift's page "React to Changes", "React to Changes on a Different Actor", which resolves inside of a write.
    ///
    /// - Precondition: This instance is confined to the current context, and the reference was not resolved before: it can be
    ///   used once.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        instance.checkConfinement()
        guard let departure = reference.passage.take() else {
            trap(
                """
                A reference to a '\(Confined.self)' was resolved before: a 'ThreadSafeReference' can be resolved once. Make \
                one for each use, or pass a '@ThreadSafe' variable.
                """)
        }
        guard departure.store === instance.store else { return nil }
        instance.arrive(from: departure.origin)
        return departure.handover(self)
    }
}

extension RealmInstance {
    /// Advances this instance at least to the state in which the reference was created.
    fileprivate func arrive(from origin: PinnedVersion) {
        if version == 0 {
            guard origin.isCommitted else { return ensureRead() }
            beginRead(at: origin.version)
            requestTurnIfDue()
        } else if version < origin.version || version == origin.version && !origin.isCommitted {
            _ = refresh()
        }
    }
}

/// The information by which an object or a collection is found in other instances of its realm.
struct Departure<Confined: ThreadConfined>: Sendable {
    let configuration: Realm.Configuration
    let origin: PinnedVersion
    let handover: Handover<Confined>

    var store: Store { origin.store }

    /// Creates the departure of a managed value in the context to which it is confined. Traps if the value cannot be passed on.
    init(of value: Confined, _ purpose: String) {
        let isInvalidated = value.isInvalidated
        guard let realm = value.realm, !isInvalidated else {
            if !isInvalidated {
                trap(
                    """
                    Cannot \(purpose) an unmanaged '\(type(of: value))' from other threads: what is in no realm has \
                    nothing to be found by. Add it to a realm first.
                    """)
            }
            trap(
                """
                Cannot \(purpose) an invalidated '\(type(of: value))': it has been deleted, or its realm was \
                invalidated.
                """)
        }
        realm.instance.checkConfinement { "a '\(type(of: value))'" }
        configuration = realm.instance.configuration
        origin = PinnedVersion(realm.instance)
        handover = Handover(value)
    }
}

/// A closure that finds a value in another instance of its realm.
///
/// Sendable, because ``ThreadConfined/_handover`` captures only types, keys and queries, which are immutable. The types'
/// conformances are not isolated to any actor.
struct Handover<Confined: ThreadConfined>: @unchecked Sendable {
    private let find: (Realm) -> Confined?

    init(_ value: Confined) { find = value._handover }

    /// Returns the value in a realm, in that realm's context, or nil if it no longer exists there.
    func callAsFunction(_ realm: Realm) -> Confined? { find(realm) }
}

/// A version that stays pinned until this is deinitialised. Thread-safe, because it is immutable.
final class PinnedVersion: Sendable {
    let store: Store
    let version: UInt64
    /// Whether the instance showed exactly that version. It shows more inside an open write. A frozen realm does not count
    /// either: its age does not limit what other instances show.
    private let isWhole: Bool

    /// Whether another instance can advance to the same state: the version is everything that the instance showed, and is durable.
    var isCommitted: Bool { isWhole && store.isDurable(version) }

    /// Pins the version that an instance shows. Call this where the instance is confined.
    init(_ instance: RealmInstance) {
        instance.ensureRead()
        store = instance.store
        version = instance.version
        isWhole = !instance.isFrozen && !instance.isInWriteTransaction
        _ = store.pin(version)
    }

    deinit { store.unpin(version) }
}

/// A variable of a managed object or collection that can be read and assigned on any thread, queue and actor.
///
///     @ThreadSafe var dog = dogs[index]
///     DispatchQueue.global().async {
///         guard let dog else { return }   // it was deleted
///         try! dog.realm!.write { dog.age += 1 }
///     }
///
/// Each read finds the value for the reading context, in its newest version. That is the realm of the queue or actor that runs
/// the code, if one is open there. Otherwise it is the realm of the thread, which is opened if necessary. Store the result in a
/// constant to work with it. Use this for local variables and parameters. The realm's data stay open as long as the variable
/// exists; no version is pinned.
///
/// From realm-swift's page "React to Changes", "Perform the Write on a Background Thread".
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    private let target: Lock<Target?>

    /// The information by which the value is found.
    private struct Target: Sendable {
        let store: Store
        let configuration: Realm.Configuration
        let handover: Handover<T>

        init(_ value: T) {
            let departure = Departure(of: value, "hold")
            (store, configuration) = (departure.store, departure.configuration)
            handover = departure.handover
        }
    }

    /// Creates a variable of an object or a collection, or of nil.
    ///
    /// - Precondition: The value is managed, not invalidated, and confined to the current context.
    public init(wrappedValue: T?) { target = Lock(wrappedValue.map { Target($0) }) }

    /// The current value for the reading context, or nil if it was deleted.
    ///
    /// Reading refreshes the context's instance if it is behind, which delivers its notifications before this returns. Inside a
    /// write or a notification, the value is that of the version shown there. An assigned value may be of any realm.
    ///
    /// - Precondition: An assigned value is managed, not invalidated, and confined to the current context.
    public var wrappedValue: T? {
        get {
            guard let target = target.withLock({ $0 }) else { return nil }
            let instanceOwner = target.store.liveInstance(target.configuration)
            instanceOwner.instance.showNewest()
            return target.handover(Realm(instanceOwner))
        }
        set {
            let new = newValue.map { Target($0) }
            // The old target is released outside the lock, because its release can close a realm.
            let old = target.withLock { target in
                defer { target = new }
                return target
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The variable itself, for passing or capturing it as a whole.
    public var projectedValue: ThreadSafe<T> { self }
}

extension RealmInstance {
    /// Advances to the newest version, if the instance can refresh at this moment.
    fileprivate func showNewest() {
        if version == 0 { ensureRead() } else if store.head > version { _ = refresh() }
    }
}
