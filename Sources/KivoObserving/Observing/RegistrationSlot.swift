import Synchronization

/// The word in the link of an instance that refers to the instance's only registration, with its lowest bit set; see `ObservedLink`.
///
/// A thread that ends a registration uses the word without a reference to the link. The reference could be the last one, if the
/// instance is released meanwhile, and would tear the link down inside of the structure's lock. The end of a link waits for that
/// lock, and takes the slot from the registration there: inside of the lock, the word of a registration's slot exists.
struct RegistrationSlot {
    /// The word, which the link owns.
    let word: UnsafePointer<Atomic<UInt>>

    /// The lock inside of which an only registration is retained and leaves.
    @inline(__always)
    var lock: PlainLock { ObservationLocks.lock(at: UInt(bitPattern: word)) }

    /// Stores the only registration, which this retains. Called inside of the structure's lock, when there is none.
    func begin(_ registration: KeyValueRegistration) {
        let retained = Unmanaged.passRetained(registration).toOpaque()
        word.pointee.store(UInt(bitPattern: retained) | 1, ordering: .releasing)
    }

    /// Removes and releases the only registration, which the caller holds. Called inside of the structure's lock.
    func end(_ registration: KeyValueRegistration) {
        lock.withLock { word.pointee.store(0, ordering: .relaxed) }
        Unmanaged.passUnretained(registration).release()
    }
}
