import Synchronization

/// A reference that is set once and never changes afterwards. Thread-safe.
///
/// Used instead of `AtomicLazyReference`, whose loads are not specialised outside of its module and look up types each time.
struct OnceReference: ~Copyable {
    /// The address of the object, which is retained; 0 until it is set.
    private let address = Atomic<UInt>(0)

    deinit { release(address.load(ordering: .acquiring)) }

    /// The object, or nil until it is set.
    @inline(__always)
    var value: AnyObject? {
        guard let object = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else {
            return nil
        }
        return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    }

    /// Sets the object unless one is set. Returns the object that is set afterwards.
    @inline(never)
    func setIfNone(_ object: AnyObject) -> AnyObject {
        let new = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
        let result = address.compareExchange(expected: 0, desired: new, ordering: .acquiringAndReleasing)
        if result.exchanged { return object }
        release(new)
        return value.unsafelyUnwrapped
    }

    private func release(_ address: UInt) {
        if let object = UnsafeRawPointer(bitPattern: address) {
            Unmanaged<AnyObject>.fromOpaque(object).release()
        }
    }
}
