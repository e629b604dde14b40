import KivoEngine

/// A managed object or collection on its way to another thread, queue or actor.
///
///     let reference = ThreadSafeReference(to: dog)
///     queue.async {
///         let realm = try! Realm(configuration: configuration, queue: queue)
///         guard let dog = realm.resolve(reference) else { return }   // it was deleted
///         print(dog.name)
///     }
///
/// It is made where the value belongs and can be resolved once, anywhere: see ``Realm/resolve(_:)``. It keeps the version of
/// the data in which it was made, in memory, until it is resolved or gone. Copies are the same reference.
///
/// From the reference page "React to Changes", "React to Changes on a Different Actor".
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    let passage: Passage<Confined>

    /// A reference to an object or a collection. O(1).
    ///
    /// Traps if the value is unmanaged (what is in no realm has nothing to be found by) or invalidated, and where it does
    /// not belong. One to an object that was added in a write transaction which is still open finds it once that is
    /// committed; and one that was made behind an asynchronous commit, which other instances see when it is durable, finds what
    /// that added once it is.
    public init(to threadConfined: Confined) {
        passage = Passage(Departure(of: threadConfined, "refer to"))
    }

    /// Whether the reference has been resolved, successfully or not, and cannot be any more. Can be asked anywhere.
    public var isInvalidated: Bool { passage.isTaken }
}

/// A departure that one can take. Thread-safe.
final class Passage<Confined: ThreadConfined>: Sendable {
    private let departure: Lock<Departure<Confined>?>

    init(_ departure: Departure<Confined>) { self.departure = Lock(departure) }

    var isTaken: Bool { departure.withLock { $0 == nil } }

    /// The departure, for the first who asks.
    func take() -> Departure<Confined>? {
        departure.withLock { departure in
            defer { departure = nil }
            return departure
        }
    }
}

extension Realm {
    /// The object or collection of a reference, in this instance; nil if it is gone there, or of other data.
    ///
    /// An instance that has read nothing yet begins at the version in which the reference was made: what was committed since
    /// is not visible, and an object that was deleted since can be read, until the instance is refreshed. (At the newest
    /// version, where the reference was made inside of a write, or at a version that is not durable yet.) One that is at an
    /// older version is refreshed, which delivers notifications before this returns; inside of a write nothing is older.
    /// (Inside of a notification no refresh is possible: what was added since is not found there.) References of frozen
    /// values are resolved in the version that the instance is at, in a frozen realm too.
    ///
    /// From the reference page "React to Changes", "React to Changes on a Different Actor", which resolves inside of a write.
    ///
    /// Traps where this instance does not belong, and if the reference was resolved before: it can be used once.
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
    /// Makes sure that this instance does not show less than where a reference comes from did.
    fileprivate func arrive(from origin: PinnedVersion) {
        if version == 0 {
            guard origin.isCommitted else { return ensureRead() }
            beginRead(at: origin.version)
            requestRefreshIfDue()
        } else if version < origin.version || version == origin.version && !origin.isCommitted {
            _ = refresh()
        }
    }
}
