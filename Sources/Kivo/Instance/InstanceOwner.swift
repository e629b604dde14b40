import Synchronization

/// What everything that belongs to a realm instance holds: it keeps the instance alive.
///
/// Other threads know an instance by weak references, and those make counting references slow for the object that they
/// refer to. This is that object; the instance itself, which is retained all the time, is never referred to weakly.
///
/// There may be very many accessors, so they are counted here, and all of them hold one reference together.
@usableFromInline
final class InstanceOwner {
    let instance: RealmInstance
    fileprivate let accessorCount = Atomic<Int>(0)

    init(_ instance: RealmInstance) {
        self.instance = instance
        instance.attach(self)
    }
}

/// Keeping an owner alive for accessors, which refer to it without a reference of their own.
///
/// The step of the count from zero to one retains the owner, and the step back to zero releases it. Each release follows its
/// retain, since the count is not zero before the first accessor has gone again. Where the count is zero for a moment, until
/// another thread adds an accessor, that thread holds the owner in another way.
extension Unmanaged<InstanceOwner> {
    /// Keeps the owner for one more accessor. Somebody holds it meanwhile: an accessor that is counted, or a reference.
    @inline(__always)
    func addAccessor() {
        let others = _withUnsafeGuaranteedRef { $0.accessorCount.wrappingAdd(1, ordering: .relaxed).oldValue }
        if others == 0 { _ = retain() }
    }

    /// Lets go of the owner for one accessor, on whatever thread that goes.
    @inline(__always)
    func removeAccessor() {
        let others = _withUnsafeGuaranteedRef {
            $0.accessorCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        }
        if others == 0 { release() }
    }
}

/// A write lasts until somebody on its thread ends it. Once the thread has ended nobody can any more, and everybody else would
/// wait for the writer's place for ever.
extension InstanceOwner: EndsWithThread {
    func threadEnds() {
        instance.giveUpWrite()
        instance.giveUpAsyncWork()
    }
}
