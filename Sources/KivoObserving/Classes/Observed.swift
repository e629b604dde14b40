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
            if Owner._tracksReads, ObservedLink.isTracking {
                ObservedLink.track(owner, column(owner, storage)) { wrapped }
            }
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
            if Owner._tracksReads, ObservedLink.isTracking {
                ObservedLink.track(owner, column(owner, storage)) { wrapped }
            }
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
        var old = value
        swap(&old, &storage.pointee.stored)
        recipients.didAssign(owner, old, value)
    }

    /// Reads the property of an instance that is or was observed. Records the read, if this thread records its reads.
    @inlinable @inline(never)
    static func read(_ owner: AnyObject, _ column: Int, _ property: () -> AnyKeyPath?) -> Value {
        let storage = place(owner, column)
        guard let link = storage.pointee.link else { return storage.pointee.stored }
        link.checkAccess(column, owner)
        let value = storage.pointee.stored
        return ObservedLink.isRecording ? ObservedLink.record(value, owner, column, property()) : value
    }
}

extension Observed: ObservedStorage {
    @usableFromInline static var valueType: Any.Type { Value.self }

    @inlinable @inline(__always)
    static var linkOffset: Int {
        let alignment = MemoryLayout<UInt>.alignment
        return (MemoryLayout<Value>.size + alignment - 1) & ~(alignment - 1)
    }

    /// Whether the reference is where ``linkOffset`` says.
    static var isLayoutKnown: Bool { MemoryLayout<Self>.offset(of: \.link) == linkOffset }

    @usableFromInline
    static func value(at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Any {
        checkAccess(address, owner)
        return address.assumingMemoryBound(to: Self.self).pointee.stored
    }

    @usableFromInline
    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool {
        guard let value = plainlyConverted(value, to: Value.self) else { return false }
        assign(value, owner, column(address, owner))
        return true
    }
}
