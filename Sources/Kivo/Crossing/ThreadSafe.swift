import KivoEngine

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
