import Foundation
import Synchronization

/// A property wrapper for a property of a ``KeyValueObservable`` class that notifies its observers of assignments.
///
///     final class Download: KeyValueObservable {
///         @Observed var fraction = 0.0
///         @Observed var pieces: [Piece] = []
///     }
///
/// The value can be of any type. While a property of an instance has no observers, an assignment costs what it costs a stored
/// property, and a read always does; a property takes one word more. Mutations in place, as in `pieces.append(piece)`, are
/// assignments of the property, but copy nothing unless an observer receives the whole old value. As with a stored property, code
/// that runs inside of such a mutation must not use the property: that traps. Mutable objects that the property refers to notify
/// by their own means.
///
/// Values that are set by name, by ``KeyValueObservable/setValue(_:forKey:)``, notify observers but do not run a property's
/// `willSet` and `didSet`, unless ``KeyValueObservable/computedProperties()`` names the property.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline var stored: Value
    /// The observations of the instance, once the property was observed. Set once, so that another thread that has just read it
    /// can use it as long as the instance exists.
    @usableFromInline var link: ObservedLink?

    /// Creates a property with its first value.
    @inlinable
    public init(wrappedValue: Value) { stored = wrappedValue }

    /// Unavailable: observed properties belong to classes that conform to ``KeyValueObservable``.
    @available(
        *, unavailable, message: "@Observed is for properties of classes that conform to KeyValueObservable"
    )
    public var wrappedValue: Value {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// Accesses the property in its object.
    ///
    /// Inlined into the property's accessors, where the key path is a constant and becomes a field access.
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always)
        get {
            if Owner._tracksReads, ObservedLink.isTracking { track(owner, storage) }
            // The bits of the link: a reference would be retained.
            if owner[keyPath: storage].link != nil,
                ObservedLink.concernsReads(unsafeBitCast(owner[keyPath: storage].link, to: UInt.self))
            {
                // The key path, in a closure that captures nothing else, is made only if the closure is called.
                return read(owner, column(owner, storage)) { wrapped }
            }
            return owner[keyPath: storage].stored
        }
        @inlinable @inline(__always)
        set {
            if Owner._isOperation { OperationStates.begin(owner) }
            if owner[keyPath: storage].link != nil { return assign(newValue, owner, column(owner, storage)) }
            // The old value is released after the access: what ends with it may use the property.
            var value = newValue
            swap(&value, &owner[keyPath: storage].stored)
        }
        @inlinable @inline(__always)
        _modify {
            if Owner._isOperation { OperationStates.begin(owner) }
            if Owner._tracksReads, ObservedLink.isTracking { track(owner, storage) }
            let column = column(owner, storage)
            let value = beginEditing(owner, column)
            defer { endEditing(value, owner, column) }
            yield &value.pointee
        }
    }
}

extension Observed where Value: ExpressibleByNilLiteral {
    /// Creates a property that is nil.
    @inlinable
    public init() { self.init(wrappedValue: nil) }
}

extension Observed {
    /// Assigns to the property of an instance that is or was observed. Specialised with the class, but not inlined, so that the
    /// property's accessors stay small.
    @inlinable @inline(never)
    static func assign(_ value: Value, _ owner: AnyObject, _ column: Int) {
        let storage = place(owner, column)
        guard let link = storage.pointee.link else {
            // The old value is released after the access.
            var value = value
            return swap(&value, &storage.pointee.stored)
        }
        link.checkAccess(column, owner)
        let recipients = link.recipients(ofColumn: column)
        guard recipients.takeValues else {
            return link.change(owner, column, recipients) { storage.pointee.stored = value }
        }
        // The values that observers receive are those of this assignment, whatever another thread assigns meanwhile.
        var (old, new) = (value, value)
        swap(&old, &storage.pointee.stored)
        withUnsafePointer(to: &old) { old in
            withUnsafePointer(to: &new) { new in
                recipients.didAssign(owner, old, new, Value.self) {
                    $0.assumingMemoryBound(to: Value.self).pointee
                }
            }
        }
    }

    /// Records a read of the property inside `withObservationTracking`.
    @usableFromInline @inline(never)
    static func track<Owner: KeyValueObservable>(
        _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
    ) {
        let observations = owner._observing.base.makeObservations(of: owner)
        observations.makeTrackedReads().note(column(owner, storage))
    }

    /// Returns the number of a property: the offset of its storage in the instance.
    ///
    /// An access that may modify, of which the thread sanitizer reports a race with any other: code that only reads a property
    /// does not ask for it.
    @inlinable @inline(__always)
    static func column<Owner: AnyObject>(
        _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Int {
        withUnsafeMutablePointer(to: &owner[keyPath: storage]) {
            UnsafeRawPointer($0) - UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        }
    }

    /// Returns the storage of a property by its number. The pointer is valid as long as the caller holds the owner.
    @inlinable @inline(__always)
    static func place(_ owner: AnyObject, _ column: Int) -> UnsafeMutablePointer<Self> {
        (Unmanaged.passUnretained(owner).toOpaque() + column).assumingMemoryBound(to: Self.self)
    }

    /// Reads the property of an instance that is or was observed. Records the read, if this thread records its reads.
    @inlinable @inline(never)
    static func read(_ owner: AnyObject, _ column: Int, _ property: () -> AnyKeyPath?) -> Value {
        let storage = place(owner, column)
        guard let link = storage.pointee.link else { return storage.pointee.stored }
        link.checkAccess(column, owner)
        let value = storage.pointee.stored
        return ObservedLink.isRecording ? record(value, owner, column, property()) : value
    }

    /// Records a read of the property, and returns its value or what stands for it.
    @usableFromInline @inline(never)
    static func record(_ value: Value, _ owner: AnyObject, _ column: Int, _ property: AnyKeyPath?) -> Value {
        guard let substitute = ReadRecorder.read(owner, column, property, value) else { return value }
        return substitute as? Value ?? value
    }
}

/// The storage of an observed property, without the type of its value. The caller holds the instance that has it.
protocol ObservedStorage {
    static var valueType: Any.Type { get }
    /// Returns the value. Traps if the property is being edited in place.
    static func value(at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Any
    /// Assigns a value and notifies the observers. Returns false if the value is of another type.
    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool
    /// Edits an array in place, without notifying observers. Returns nil if the value is not an array, and false if an object does not fit.
    /// Traps if the property is being edited in place.
    static func edit(
        at address: UnsafeMutableRawPointer, of owner: AnyObject, _ change: NSKeyValueChange,
        _ positions: [Int], _ objects: [Any]
    ) -> Bool?
    /// Returns the link to the observations of the instance, or nil if the property has none yet.
    static func link(at address: UnsafeMutableRawPointer) -> ObservedLink?
    /// Stores the link, unless that has been done.
    static func setLink(_ link: ObservedLink, at address: UnsafeMutableRawPointer)
}

extension Observed: ObservedStorage {
    static var valueType: Any.Type { Value.self }

    private static func storage(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static func value(at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Any {
        checkAccess(address, owner)
        return storage(address).pointee.stored
    }

    private static func column(_ address: UnsafeMutableRawPointer, _ owner: AnyObject) -> Int {
        UnsafeRawPointer(address) - UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    }

    /// Traps if the property is being edited in place.
    static func checkAccess(_ address: UnsafeMutableRawPointer, _ owner: AnyObject) {
        storage(address).pointee.link?.checkAccess(column(address, owner), owner)
    }

    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool {
        guard let value = plainlyConverted(value, to: Value.self) else { return false }
        assign(value, owner, column(address, owner))
        return true
    }

    /// Returns the reference to the link, as code uses it that registers observers on any thread.
    @inlinable @inline(__always)
    static func sharedReference(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<
        Atomic<UInt>
    > {
        let alignment = MemoryLayout<UInt>.alignment
        let offset = (MemoryLayout<Value>.size + alignment - 1) & ~(alignment - 1)
        return (address + offset).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    static func link(at address: UnsafeMutableRawPointer) -> ObservedLink? {
        let word = sharedReference(address).pointee.load(ordering: .acquiring)
        guard word != ObservedLink.editedAlone, let link = UnsafeRawPointer(bitPattern: word) else {
            return nil
        }
        return Unmanaged<ObservedLink>.fromOpaque(link).takeUnretainedValue()
    }

    static func setLink(_ link: ObservedLink, at address: UnsafeMutableRawPointer) {
        let shared = sharedReference(address)
        let known = shared.pointee.load(ordering: .relaxed)
        if known != 0, known != ObservedLink.editedAlone { return }
        // A thread that reads the reference finds the link complete. The property's accessors read it like any stored property: they
        // use nothing but what they reach through it.
        let reference = Unmanaged.passRetained(link)
        let isSet = shared.pointee.compareExchange(
            expected: known, desired: UInt(bitPattern: reference.toOpaque()), ordering: .acquiringAndReleasing
        ).exchanged
        if isSet { return }
        reference.release()
        // Another thread has set the link, or has begun or ended an edit.
        setLink(link, at: address)
    }
}
