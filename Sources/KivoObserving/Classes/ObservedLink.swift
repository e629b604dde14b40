import Synchronization

/// The reference of an instance to its observers, in the storage of its observed properties.
///
/// Most observed instances have one observer of one property. The link refers to its registration then, which saves the memory of
/// `KeyValueObservations`: more than half. Whatever else happens to the instance (a second registration, a key path that leads
/// through it, an announcement) makes them, and they stay.
///
///     instance
///     ┌────────────┐
///     │ value      │      link
///     │ link ──────┼──▶ ┌──────────────┐     KeyValueRegistration
///     ├────────────┤ ┌▶ │ word, tag 1 ─┼──▶  of one property
///     │ value      │ │  │    or tag 0 ─┼──▶  KeyValueObservations ──▶ all registrations
///     │ link ──────┼─┘  └──────────────┘
///     └────────────┘
///
/// The instance releases the link when it is torn down, and nothing else holds it. What the link refers to can be held by other
/// threads for a moment.
@usableFromInline
final class ObservedLink {
    /// The content of a link, which owns it.
    private enum Content {
        case nothing
        case only(Unmanaged<KeyValueRegistration>)
        case observations(Unmanaged<KeyValueObservations>)

        @inline(__always)
        init(_ word: UInt) {
            guard let address = UnsafeRawPointer(bitPattern: word & ~1) else {
                self = .nothing
                return
            }
            self = word & 1 == 1 ? .only(.fromOpaque(address)) : .observations(.fromOpaque(address))
        }
    }

    /// The content as a word. It changes inside of the structure's lock. Observations stay until the link's end, so that a thread
    /// that has read the word can use them; an only registration is retained, and leaves, inside of the link's own lock.
    private let word = Atomic<UInt>(0)

    private var content: Content { Content(word.load(ordering: .acquiring)) }

    private var slot: RegistrationSlot { withUnsafePointer(to: word) { RegistrationSlot(word: $0) } }

    deinit {
        // Another thread may be ending the only registration inside of the lock.
        let last = ObservationLocks.structure.withLock {
            let last = content
            if case .only(let registration) = last {
                registration._withUnsafeGuaranteedRef { $0.slot = nil }
            }
            return last
        }
        switch last {
        case .nothing: break
        case .only(let registration): registration.takeRetainedValue().subjectEnded()
        case .observations(let observations): observations.takeRetainedValue().endRegistrations()
        }
    }

    /// Whether the instance has no registration, and never had a second one.
    var isEmpty: Bool { word.load(ordering: .relaxed) == 0 }

    /// Stores the only registration of an instance. Called inside of the structure's lock.
    ///
    /// - Returns: false if the instance has others.
    func begin(_ observation: KeyValueRegistration, _ subjectClass: any SubjectClass) -> Bool {
        guard isEmpty else { return false }
        observation.registerAlone(slot, subjectClass)
        slot.begin(observation)
        return true
    }

    /// Returns the observations of the instance, made now if there are none.
    func observations(of subject: AnyObject, _ subjectClass: any SubjectClass) -> KeyValueObservations {
        if case .observations(let made) = content { return made.takeUnretainedValue() }
        return ObservationLocks.structure.withLock { madeObservations(of: subject, subjectClass) }
    }

    /// Returns the observations of the instance like ``observations(of:_:)``. Called inside of the structure's lock.
    private func madeObservations(of subject: AnyObject, _ subjectClass: any SubjectClass)
        -> KeyValueObservations
    {
        let before = content
        if case .observations(let made) = before { return made.takeUnretainedValue() }
        let made = KeyValueObservations(subject, subjectClass, isShared: true)
        if case .only(let registration) = before {
            made.adopt(registration.takeUnretainedValue())
        }
        let retained = Unmanaged.passRetained(made).toOpaque()
        slot.lock.withLock { word.store(UInt(bitPattern: retained), ordering: .releasing) }
        // The observations hold the registration as well.
        if case .only(let registration) = before { registration.release() }
        return made
    }

    /// The number of the property that is being edited in place, plus one; see ``Edit``.
    private let edited: Atomic<Int>

    /// What is being edited in place, besides the number of a property plus one.
    private enum Edit {
        static let none = 0
        /// Any property of an instance that has no link: this is the mark in the place of one.
        static let alone = -1
        /// An edit begins: its observers read the old value.
        static let begins = -2
    }

    convenience init() { self.init(edited: Edit.none) }

    private init(edited: Int) { self.edited = Atomic(edited) }

    /// The mark in the place of a property's link, while a property without a link is edited in place: the address of a link that is
    /// never released.
    @usableFromInline static let editedAlone = UInt(
        bitPattern: Unmanaged.passRetained(ObservedLink(edited: Edit.alone)).toOpaque())

    /// Traps if a property is being edited in place.
    @usableFromInline
    func checkAccess(_ column: Int, _ owner: AnyObject) {
        let edited = edited.load(ordering: .relaxed)
        if edited == Edit.alone || edited == column + 1 { Self.trapOverlap(owner, column) }
    }

    /// Begins to edit a property in place. Returns false if observers receive the whole old or new value, or if another property is
    /// being edited.
    @usableFromInline
    func beginEditing(_ column: Int, _ owner: AnyObject) -> Bool {
        let recipients = recipients(ofColumn: column)
        if recipients.takeValues { return false }
        guard
            edited.compareExchange(expected: Edit.none, desired: Edit.begins, ordering: .acquiring).exchanged
        else { return false }
        switch (recipients, content) {
        case (.none, _): break
        case (_, .observations(let observations)):
            observations.takeUnretainedValue().openEdit(column, owner)
        default: break
        }
        edited.store(column + 1, ordering: .relaxed)
        return true
    }

    /// Ends to edit a property in place, and notifies its observers.
    @usableFromInline
    func endEditing(_ column: Int) {
        guard
            edited.compareExchange(expected: column + 1, desired: Edit.none, ordering: .releasing).exchanged,
            case .observations(let observations) = content
        else { return }
        observations.takeUnretainedValue().closeEdit()
    }

    private static func trapOverlap(_ owner: AnyObject, _ column: Int) -> Never {
        let field = (owner as? any KeyValueObservable).flatMap { ReflectedClass.of($0).observedField(column) }
        trap(
            """
            Overlapping accesses to property '\(type(of: owner)).\(field?.name ?? "")': it is used while it is modified in place, \
            as in a closure that 'removeAll(where:)' calls. Modify a copy there, and assign it.
            """)
    }

    /// Whether a read of a property with a link must do more than return the value.
    @usableFromInline
    static func concernsReads(_ link: UInt) -> Bool {
        if isRecording || link == editedAlone { return true }
        guard let address = UnsafeRawPointer(bitPattern: link) else { return false }
        // The instance, which the caller holds, owns the link.
        return Unmanaged<ObservedLink>.fromOpaque(address)._withUnsafeGuaranteedRef {
            $0.edited.load(ordering: .relaxed) != 0
        }
    }

    /// Whether the reads of this thread are being recorded.
    @usableFromInline static var isRecording: Bool { ReadRecorder.isActive && ReadRecorder.isRecording }

    /// Whether this code runs inside `withObservationTracking`.
    @usableFromInline static var isTracking: Bool { ReadProbe.isNoting }

    /// Records a read of a property inside `withObservationTracking`.
    @usableFromInline @inline(never)
    static func track(_ owner: some KeyValueObservable, _ column: Int, _ property: () -> AnyKeyPath?) {
        owner._observing.base.makeObservations(of: owner).makeTrackedReads().note(column, property)
    }

    /// Records a read of a property, and returns its value or what stands for it.
    @usableFromInline @inline(never)
    static func record<Value>(_ value: Value, _ owner: AnyObject, _ column: Int, _ property: AnyKeyPath?)
        -> Value
    {
        guard let substitute = ReadRecorder.read(owner, column, property, value) else { return value }
        return substitute as? Value ?? value
    }

    /// Returns the recipients of changes of a property.
    @usableFromInline
    func recipients(ofColumn column: Int) -> KeyValueObservations.ColumnRecipients {
        var content = content
        if case .only = content {
            let only = slot.lock.withLockInline { () -> KeyValueRegistration? in
                content = self.content
                guard case .only(let registration) = content else { return nil }
                return registration.takeUnretainedValue()
            }
            if let only { return only.onlyColumn == column ? .value(only) : .none }
        }
        guard case .observations(let observations) = content else { return .none }
        return observations._withUnsafeGuaranteedRef { $0.recipients(ofColumn: column) }
    }

    /// Performs an assignment to a property, and notifies its observers. The caller holds the owner. The storage is accessed only at
    /// the moment of the change, and not while observers are called.
    @usableFromInline
    func change(
        _ owner: AnyObject, _ column: Int, _ recipients: KeyValueObservations.ColumnRecipients,
        _ assign: () -> Void
    ) {
        switch recipients {
        case .none: assign()
        case .value(let observation), .one(let observation): Self.change(owner, observation, assign)
        case .path(let observation, let canReroute):
            guard !observation.isRemoved, !observation.isBusy, let subject = observation.liveSubject,
                observation.isShared || !observation.isInvalidated(subject)
            else { return assign() }
            Self.change(subject, observation, canReroute: canReroute, assign)
        case .values, .many:
            guard case .observations(let observations) = content else { return assign() }
            var change = OpenChange()
            change.openColumn(observations.takeUnretainedValue(), column, owner)
            assign()
            change.close(.wholesale)
        }
    }

    private static func change(
        _ subject: AnyObject, _ observation: KeyValueRegistration, canReroute: Bool = false,
        _ assign: () -> Void
    ) {
        if observation.isRemoved { return assign() }
        var ticket: UInt32 = 0
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
