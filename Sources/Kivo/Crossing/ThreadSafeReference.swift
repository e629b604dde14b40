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
