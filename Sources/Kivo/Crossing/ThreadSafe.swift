import KivoEngine

/// A variable of a managed object or collection that can be read and assigned on any thread, queue and actor.
///
///     @ThreadSafe var dog = dogs[index]
///     DispatchQueue.global().async {
///         guard let dog else { return }   // it was deleted
///         try! dog.realm!.write { dog.age += 1 }
///     }
///
/// Each read finds the value for the place that reads, in its newest version: in the realm of the queue or actor that runs
/// the code, if one is open there, else in that of its thread, which is opened if need be. Keep what was read in a constant
/// to work with it. For local variables and parameters. The realm's data stay open as long as the variable is there;
/// no version is kept.
///
/// From the reference page "React to Changes", "Perform the Write on a Background Thread".
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    private let target: Lock<Target?>

    /// Where the value is.
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

    /// A variable of an object or a collection, or of nil. Traps if the value is unmanaged or invalidated, and where it does
    /// not belong.
    public init(wrappedValue: T?) { target = Lock(wrappedValue.map { Target($0) }) }

    /// The value as it is now, for the place that reads it; nil if it was deleted.
    ///
    /// Refreshes the instance there if that is behind, which delivers its notifications before this returns; inside of a
    /// write, and of a notification, the value is that of the version which is seen there. Assigning takes over where the new
    /// value is, in whatever realm; it traps if that is unmanaged or invalidated, and where it does not belong.
    public var wrappedValue: T? {
        get {
            guard let target = target.withLock({ $0 }) else { return nil }
            let instanceOwner = target.store.liveInstance(target.configuration)
            instanceOwner.instance.showNewest()
            return target.handover(Realm(instanceOwner))
        }
        set {
            let new = newValue.map { Target($0) }
            // The old one is let go of outside of the lock: with it a realm may be closed.
            let old = target.withLock { target in
                defer { target = new }
                return target
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The variable itself, to be passed on or captured as what it is.
    public var projectedValue: ThreadSafe<T> { self }
}

extension RealmInstance {
    /// Moves to the newest version if that can be done here and now.
    fileprivate func showNewest() {
        if version == 0 { ensureRead() } else if store.head > version { _ = refresh() }
    }
}
