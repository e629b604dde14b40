/// A property wrapper for a property of a ``KeyValueObservable`` class that notifies its observers of assignments.
///
///     final class Download: KeyValueObservable {
///         @Observed var fraction = 0.0
///         @Observed var pieces: [Piece] = []
///     }
///
/// The value can be of any type. While a property of an instance has no observers, an assignment costs what it costs a stored
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
            if owner[keyPath: storage].link != nil, ObservedLink.isRecording {
                return record(owner[keyPath: storage].stored, owner, owner[keyPath: storage].link)
            }
            return owner[keyPath: storage].stored
        }
        @inlinable @inline(__always)
        set {
            if let link = owner[keyPath: storage].link {
                assign(newValue, owner, link)
            } else {
                owner[keyPath: storage].stored = newValue
            }
        }
    }
}

/// The observations of an instance, in the storage of one of its properties.
@usableFromInline
final class ObservedLink {
    let observations: KeyValueObservations
    /// The number of the property: the offset of its storage in the instance.
    @usableFromInline let column: Int

    init(_ observations: KeyValueObservations, _ column: Int) {
        self.observations = observations
        self.column = column
    }

    /// Whether reads are being recorded on any thread.
    @usableFromInline static var isRecording: Bool { ReadRecorder.isActive }

    /// Performs an assignment to the property, and notifies its observers. The caller holds the owner. The storage is accessed only
    /// at the moment of the change, and not while observers are called.
    @usableFromInline
    func change(_ owner: AnyObject, _ assign: () -> Void) {
        switch observations.recipients(ofColumn: column) {
        case .none: assign()
        case .one(let observation):
            if observation.isRemoved { return assign() }
            if type(of: observation) == TypedObservation.self,
                unsafeDowncast(observation, to: TypedObservation.self).around(owner, assign)
            {
                return
            }
            let ticket = observation.nextTicket()
            if observation.needsWill { observation.willChange(owner, .wholesale, ticket) }
            assign()
            if !observation.isRemoved { observation.didChange(owner, .wholesale, ticket) }
        case .many(let recipients, let demand):
            var change = OpenChange()
            change.openAll(recipients, owner, .wholesale, demand)
            assign()
            change.close(.wholesale)
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
    static func assign(_ value: Value, _ owner: AnyObject, _ link: ObservedLink) {
        let storage = (Unmanaged.passUnretained(owner).toOpaque() + link.column)
            .assumingMemoryBound(to: Self.self)
        link.change(owner) { storage.pointee.stored = value }
    }

    /// Records a read of the property, if the reads of this thread are being recorded, and returns its value or what stands for it
    /// there.
    @usableFromInline @inline(never)
    static func record(_ value: Value, _ owner: AnyObject, _ link: ObservedLink?) -> Value {
        guard let link, let substitute = ReadRecorder.read(owner, link.column) else { return value }
        return substitute as? Value ?? value
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
    static func setObservations(
        _ observations: KeyValueObservations, at address: UnsafeMutableRawPointer, _ column: Int)
}

extension Observed: ObservedStorage {
    static var valueType: Any.Type { Value.self }

    private static func storage(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static func value(at address: UnsafeMutableRawPointer) -> Any { storage(address).pointee.stored }

    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool {
        guard let value = plainlyConverted(value, to: Value.self) else { return false }
        guard let link = storage(address).pointee.link else {
            storage(address).pointee.stored = value
            return true
        }
        assign(value, owner, link)
        return true
    }

    static func observations(at address: UnsafeMutableRawPointer) -> KeyValueObservations? {
        storage(address).pointee.link?.observations
    }

    static func setObservations(
        _ observations: KeyValueObservations, at address: UnsafeMutableRawPointer, _ column: Int
    ) {
        if storage(address).pointee.link == nil {
            storage(address).pointee.link = ObservedLink(observations, column)
        }
    }
}
