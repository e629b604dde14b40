import Foundation
import Synchronization

/// The storage of an observed property, without the type of its value: an ``Observed`` or an ``ObservedWeak``. The caller holds the
/// instance that has it.
///
/// The value precedes the reference to the observations of the instance.
@usableFromInline
protocol ObservedStorage {
    static var valueType: Any.Type { get }
    /// Whether the property does not hold its object.
    static var isWeak: Bool { get }
    /// The position of the reference to the observations, in bytes.
    static var linkOffset: Int { get }
    /// Returns the value. Traps if the property is being edited in place.
    static func value(at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Any
    /// A closure that returns the number of elements of the value, like ``value(at:of:)``; nil if the value is no array and no set.
    static var elementCount: ((_ address: UnsafeMutableRawPointer, _ owner: AnyObject) -> Int)? { get }
    /// Assigns a value and notifies the observers. Returns false if the value is of another type.
    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool
    /// Edits an array in place, without notifying observers. Returns nil if the value is not an array, and false if an object does not fit.
    /// Traps if the property is being edited in place.
    static func edit(
        at address: UnsafeMutableRawPointer, of owner: AnyObject, _ change: NSKeyValueChange,
        _ positions: [Int], _ objects: [Any]
    ) -> Bool?
}

extension ObservedStorage {
    @usableFromInline static var isWeak: Bool { false }
    @usableFromInline
    static var elementCount: ((_ address: UnsafeMutableRawPointer, _ owner: AnyObject) -> Int)? { nil }

    @usableFromInline
    static func edit(
        at address: UnsafeMutableRawPointer, of owner: AnyObject, _ change: NSKeyValueChange,
        _ positions: [Int], _ objects: [Any]
    ) -> Bool? { nil }

    /// Returns the number of a property: the offset of its storage in the instance.
    ///
    /// An access that may modify, of which the thread sanitizer reports a race with any other: code that only reads a property
    /// does not ask for it.
    @inlinable @inline(__always)
    static func column<Owner: AnyObject>(
        _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Int {
        withUnsafeMutablePointer(to: &owner[keyPath: storage]) { column($0, owner) }
    }

    /// Returns the number of the property at an address.
    @inlinable @inline(__always)
    static func column(_ address: UnsafeMutableRawPointer, _ owner: AnyObject) -> Int {
        UnsafeRawPointer(address) - UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    }

    /// Returns the storage of a property by its number. The pointer is valid as long as the caller holds the owner.
    @inlinable @inline(__always)
    static func place(_ owner: AnyObject, _ column: Int) -> UnsafeMutablePointer<Self> {
        (Unmanaged.passUnretained(owner).toOpaque() + column).assumingMemoryBound(to: Self.self)
    }

    /// Traps if the property is being edited in place.
    static func checkAccess(_ address: UnsafeMutableRawPointer, _ owner: AnyObject) {
        // The mark of an edit is a link, too.
        let word = sharedReference(address).pointee.load(ordering: .acquiring)
        guard let link = UnsafeRawPointer(bitPattern: word) else { return }
        Unmanaged<ObservedLink>.fromOpaque(link)._withUnsafeGuaranteedRef {
            $0.checkAccess(column(address, owner), owner)
        }
    }

    /// Returns the reference to the link, as code uses it that registers observers on any thread.
    @inlinable @inline(__always)
    static func sharedReference(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<
        Atomic<UInt>
    > {
        (address + linkOffset).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    /// Returns the link to the observations of the instance, or nil if the property has none yet.
    static func link(at address: UnsafeMutableRawPointer) -> ObservedLink? {
        let word = sharedReference(address).pointee.load(ordering: .acquiring)
        guard word != ObservedLink.editedAlone, let link = UnsafeRawPointer(bitPattern: word) else {
            return nil
        }
        return Unmanaged<ObservedLink>.fromOpaque(link).takeUnretainedValue()
    }

    /// Stores the link, unless that has been done.
    static func setLink(_ link: ObservedLink, at address: UnsafeMutableRawPointer) {
        let shared = sharedReference(address)
        let known = shared.pointee.load(ordering: .relaxed)
        if known != 0, known != ObservedLink.editedAlone { return }
        // A thread that reads the reference finds the link complete. The property's accessors read it like any stored property: they
        // use nothing but what they reach through it.
        let reference = Unmanaged.passRetained(link)
        let isSet = ThreadSanitizer.ignoringWrites {
            shared.pointee.compareExchange(
                expected: known, desired: UInt(bitPattern: reference.toOpaque()),
                ordering: .acquiringAndReleasing
            ).exchanged
        }
        if isSet { return }
        reference.release()
        // Another thread has set the link, or has begun or ended an edit.
        setLink(link, at: address)
    }
}
