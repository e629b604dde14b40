import Synchronization

/// The owner of a realm instance. Everything that belongs to the instance holds the owner, which keeps the instance alive.
///
/// Other threads hold an instance weakly, and weak references slow down the reference counting of the object that they refer to.
/// They refer to this object; the instance itself, which is retained all the time, is never referred to weakly.
///
/// There may be very many accessors, so they are counted here, and all of them share one reference.
@usableFromInline
final class InstanceOwner {
    let instance: RealmInstance
    fileprivate let accessorCount = Atomic<Int>(0)

    init(_ instance: RealmInstance) {
        self.instance = instance
        instance.attach(self)
    }
}

/// Counts the accessors that refer to an owner without a reference of their own.
///
/// The step of the count from zero to one retains the owner, and the step back to zero releases it. Each release follows its
/// retain, since the count is not zero before the first accessor is removed again. The count may be zero for a moment, until
/// another thread adds an accessor; that thread then holds the owner in another way.
extension Unmanaged<InstanceOwner> {
    /// Retains the owner for one more accessor.
    ///
    /// - Precondition: The owner is held meanwhile, by an accessor that is counted or by a reference.
    @inline(__always)
    func addAccessor() {
        let others = _withUnsafeGuaranteedRef { $0.accessorCount.wrappingAdd(1, ordering: .relaxed).oldValue }
        if others == 0 { _ = retain() }
    }

    /// Releases the owner for one accessor, on any thread.
    @inline(__always)
    func removeAccessor() {
        let others = _withUnsafeGuaranteedRef {
            $0.accessorCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        }
        if others == 0 { release() }
    }
}

extension InstanceOwner: RegistrationOwner {
    func end(_ registration: Registration) {
        if instance.confinement.isCurrent {
            registration.cancel()
            instance.remove(registration)
        } else {
            registration.cancelElsewhere()
            instance.handle.leave(registration: registration)
        }
    }

    func logIfUnused(_ registration: Registration) {
        guard instance.handle.isCurrent, let listener = registration.listener,
            case .awaitingFirstCall = listener.progress
        else { return }
        Logger.shared.log(
            level: .detail,
            message: """
                An observation of \(instance.info(of: listener, registration)) ended before its block was called, because \
                its token was released: an observation lasts as long as its token is stored.
                """)
    }
}

/// A write lasts until code on its thread ends it. Once the thread has ended, no code can, and all other writers would wait for
/// the write lock for ever.
extension InstanceOwner: EndsWithThread {
    func threadEnds() {
        instance.giveUpWrite()
        instance.abandonAsyncWork()
    }
}

extension RealmInstance {
    /// Returns a frozen instance of the version that this one sees.
    func frozen() -> InstanceOwner {
        if isFrozen { return instanceOwner }
        checkConfinement()
        ensureRead()
        if let frozen = lastFrozen, frozen.instance.dataVersion == dataVersion { return frozen }
        let frozen = InstanceOwner(RealmInstance(store, configuration, .none, frozenAt: version))
        frozen.instance.dataVersion = dataVersion
        lastFrozen = frozen
        return frozen
    }

    /// Returns the live instance of the current thread, queue or actor.
    func thawed() -> InstanceOwner { isFrozen ? store.liveInstance(configuration) : instanceOwner }
}

extension Store {
    /// Returns the instance of the queue or actor that runs this code, or else of the thread. A thread that has no instance gets
    /// a new one.
    func liveInstance(_ configuration: Realm.Configuration) -> InstanceOwner {
        currentInstance() ?? InstanceOwner(RealmInstance(self, configuration, .currentThread))
    }
}

/// The realm instances of a store, in the order of their insertion. Adding and removing one takes O(1), amortized.
struct InstanceList: Sendable {
    /// A realm instance, as other threads may hold it.
    struct Instance: Sendable {
        var confinement: Confinement
        var handle: InstanceHandle
    }

    /// The instances in order, with gaps where others were removed.
    private var slots: [Instance?] = []
    private var indexes: [ObjectIdentifier: Int] = [:]

    var count: Int { indexes.count }
    var isEmpty: Bool { indexes.isEmpty }

    mutating func add(_ handle: InstanceHandle, _ confinement: Confinement) {
        indexes[ObjectIdentifier(handle)] = slots.count
        slots.append(Instance(confinement: confinement, handle: handle))
    }

    /// Removes an instance, if it is one of these.
    mutating func remove(_ handle: InstanceHandle) {
        guard let index = indexes.removeValue(forKey: ObjectIdentifier(handle)) else { return }
        slots[index] = nil
        while case .some(nil) = slots.last { slots.removeLast() }
        guard slots.count > 32, slots.count > 2 * count else { return }
        slots.removeAll { $0 == nil }
        for (index, instance) in slots.enumerated() { indexes[ObjectIdentifier(instance!.handle)] = index }
    }
}

extension InstanceList: Sequence {
    func makeIterator() -> some IteratorProtocol<Instance> { slots.lazy.compactMap(\.self).makeIterator() }
}
