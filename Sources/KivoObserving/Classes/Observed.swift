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
            if Owner._tracksReads, ObservedLink.isTracking { track(owner, storage) }
            if let link = owner[keyPath: storage].link { return read(owner, link) }
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

    /// The instance is being torn down.
    deinit { observations.endRegistrations() }

    /// Whether reads are being recorded on any thread.
    @usableFromInline static var isRecording: Bool { ReadRecorder.isActive }

    /// Whether this code runs inside `withObservationTracking`.
    @usableFromInline static var isTracking: Bool { ReadProbe.isNoting }

    /// The recipients of changes of the property.
    @usableFromInline var recipients: KeyValueObservations.ColumnRecipients {
        observations.recipients(ofColumn: column)
    }

    /// Performs an assignment to the property, and notifies its observers. The caller holds the owner. The storage is accessed only
    /// at the moment of the change, and not while observers are called.
    @usableFromInline
    func change(
        _ owner: AnyObject, _ recipients: KeyValueObservations.ColumnRecipients, _ assign: () -> Void
    ) {
        switch recipients {
        case .none: assign()
        case .value(let observation): Self.change(owner, observation, assign)
        case .one(let observation): Self.change(owner, observation, assign)
        case .path(let observation, let canReroute):
            guard !observation.isRemoved, !observation.isBusy, let subject = observation.liveSubject,
                observation.isShared || !observation.isInvalidated(subject)
            else { return assign() }
            Self.change(subject, observation, canReroute: canReroute, assign)
        case .many:
            var change = OpenChange()
            change.openColumn(observations, column, owner)
            assign()
            change.close(.wholesale)
        }
    }

    private static func change(
        _ subject: AnyObject, _ observation: KeyValueRegistration, canReroute: Bool = false,
        _ assign: () -> Void
    ) {
        if observation.isRemoved { return assign() }
        var ticket = 0
        if observation.needsWill {
            ticket = observation.nextTicket()
            observation.willChange(subject, .wholesale, ticket)
        }
        assign()
        if observation.isRemoved { return }
        if canReroute { observation.refreshTree() }
        observation.didChange(subject, .wholesale, ticket)
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
        let recipients = link.recipients
        guard case .value(let observation) = recipients else {
            return link.change(owner, recipients) { storage.pointee.stored = value }
        }
        // The values that the observer receives are those of this assignment, whatever another thread assigns meanwhile.
        var (old, new) = (value, value)
        swap(&old, &storage.pointee.stored)
        withUnsafePointer(to: &old) { old in
            withUnsafePointer(to: &new) { new in observation.didAssign(owner, old, new) }
        }
    }

    /// Records a read of the property inside `withObservationTracking`.
    @usableFromInline @inline(never)
    static func track<Owner: KeyValueObservable>(
        _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
    ) {
        let observations = owner._observing.base.makeObservations(of: owner)
        let column = withUnsafeMutablePointer(to: &owner[keyPath: storage]) {
            UnsafeRawPointer($0) - UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        }
        observations.makeTrackedReads().note(column)
    }

    /// Returns the value of an instance that is or was observed. Specialised with the class like ``assign(_:_:_:)``.
    @inlinable @inline(never)
    static func read(_ owner: AnyObject, _ link: ObservedLink) -> Value {
        let storage = (Unmanaged.passUnretained(owner).toOpaque() + link.column)
            .assumingMemoryBound(to: Self.self)
        return ObservedLink.isRecording
            ? record(storage.pointee.stored, owner, link) : storage.pointee.stored
    }

    /// Records a read of the property, if the reads of this thread are being recorded, and returns its value or what stands for it
    /// there.
    @usableFromInline @inline(never)
    static func record(_ value: Value, _ owner: AnyObject, _ link: ObservedLink) -> Value {
        guard let substitute = ReadRecorder.read(owner, link.column, value) else { return value }
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

    /// Returns the link of a storage, as code uses it that registers observers on any thread.
    private static func sharedLink(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt>> {
        let alignment = MemoryLayout<UInt>.alignment
        let offset = (MemoryLayout<Value>.size + alignment - 1) & ~(alignment - 1)
        return (address + offset).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    static func observations(at address: UnsafeMutableRawPointer) -> KeyValueObservations? {
        UnsafeRawPointer(bitPattern: sharedLink(address).pointee.load(ordering: .acquiring)).map {
            Unmanaged<ObservedLink>.fromOpaque($0).takeUnretainedValue().observations
        }
    }

    static func setObservations(
        _ observations: KeyValueObservations, at address: UnsafeMutableRawPointer, _ column: Int
    ) {
        let shared = sharedLink(address)
        if shared.pointee.load(ordering: .relaxed) != 0 { return }
        let link = ObservedLink(observations, column)
        // A thread that reads the link finds it complete. The property's accessors read it like any stored property: they use
        // nothing of it but what they reach through it.
        shared.pointee.store(UInt(bitPattern: Unmanaged.passRetained(link).toOpaque()), ordering: .releasing)
    }
}
