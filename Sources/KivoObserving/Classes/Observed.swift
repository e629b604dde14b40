/// A property wrapper for a property of a ``KeyValueObservable`` class that notifies its observers of assignments.
///
///     final class Download: KeyValueObservable {
///         @Observed var fraction = 0.0
///         @Observed var pieces: [Piece] = []
///     }
///
/// The value can be of any type. While nobody observes the property of an instance, an assignment costs what it costs a stored
/// property, and a read always does; a property takes one word more. Mutations in place, as in `pieces.append(piece)`, are
/// assignments of the property. Mutable objects that the property refers to notify by their own means.
///
/// Values that are set by name, by ``KeyValueObservable/setValue(_:forKey:)``, notify observers but do not run a property's
/// `willSet` and `didSet`.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline var stored: Value
    /// The observations of the instance, once the property was observed. Set once, so that another thread that has just read it
    /// can use it as long as the instance exists.
    @usableFromInline var observations: KeyValueObservations?

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
            if owner[keyPath: storage].observations != nil {
                withUnsafeMutablePointer(to: &owner[keyPath: storage]) { noteRead(owner, $0) }
            }
            return owner[keyPath: storage].stored
        }
        @inlinable @inline(__always)
        set {
            if owner[keyPath: storage].observations == nil {
                owner[keyPath: storage].stored = newValue
            } else {
                // The access to the storage ends before observers are called.
                assign(newValue, owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
            }
        }
    }
}

extension Observed where Value: ExpressibleByNilLiteral {
    /// Creates a property that is nil.
    @inlinable
    public init() { self.init(wrappedValue: nil) }
}

extension Observed {
    /// Assigns to the property of an instance that is or was observed. The address of the storage is valid as long as the owner,
    /// which the caller holds.
    @usableFromInline @inline(never)
    static func assign(_ value: Value, _ owner: AnyObject, _ storage: UnsafeMutablePointer<Self>) {
        let column = Self.column(owner, storage)
        guard let observations = storage.pointee.observations,
            let (recipients, demand) = observations.recipients(ofColumn: column)
        else {
            storage.pointee.stored = value
            return
        }
        var change = OpenChange()
        change.openAll(recipients, owner, .wholesale, demand)
        storage.pointee.stored = value
        change.close(.wholesale)
    }

    /// Records a read of the property, if the reads of this thread are being recorded.
    @usableFromInline @inline(never)
    static func noteRead(_ owner: AnyObject, _ storage: UnsafeMutablePointer<Self>) {
        if ReadRecorder.isActive { ReadRecorder.note(owner, column(owner, storage)) }
    }

    /// Returns the number of the property: the offset of its storage in the instance.
    @inline(__always)
    private static func column(_ owner: AnyObject, _ storage: UnsafeMutablePointer<Self>) -> Int {
        UnsafeMutableRawPointer(storage) - Unmanaged.passUnretained(owner).toOpaque()
    }
}

/// The storage of an observed property, without the type of its value. The caller holds the instance that has it.
protocol ObservedStorage {
    static var valueType: Any.Type { get }
    static func value(at address: UnsafeMutableRawPointer) -> Any
    /// Assigns a value and notifies the observers. Returns false if the value is of another type.
    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool
    static func observations(at address: UnsafeMutableRawPointer) -> KeyValueObservations?
    /// Stores the observations of the instance, unless that has been done.
    static func setObservations(_ observations: KeyValueObservations, at address: UnsafeMutableRawPointer)
}

extension Observed: ObservedStorage {
    static var valueType: Any.Type { Value.self }

    private static func storage(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static func value(at address: UnsafeMutableRawPointer) -> Any { storage(address).pointee.stored }

    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool {
        guard let value = plainlyConverted(value, to: Value.self) else { return false }
        assign(value, owner, storage(address))
        return true
    }

    static func observations(at address: UnsafeMutableRawPointer) -> KeyValueObservations? {
        storage(address).pointee.observations
    }

    static func setObservations(_ observations: KeyValueObservations, at address: UnsafeMutableRawPointer) {
        if storage(address).pointee.observations == nil {
            storage(address).pointee.observations = observations
        }
    }
}
