import Synchronization

/// The old or the new entry of a change record.
@usableFromInline
package enum RecordedValue {
    /// The options do not ask for the entry, or changes of this kind do not have it.
    case absent
    /// The value, or nil if the value is nil or the key path is broken.
    case present(Any?)

    @inlinable @inline(__always)
    package var isAbsent: Bool { if case .absent = self { true } else { false } }
}

/// The contents of a collection in an observed property, without the type of its elements.
package protocol ObservedCollection: AnyObject {
    /// The current elements, as an array or a dictionary.
    var snapshotValue: Any { get }
    var elementCount: Int { get }
    /// Returns the elements at some positions; none for a map, which has no positions.
    func elements(at indices: [Int]) -> [Any]
}

/// A registration of an observer: the key path that it watches, its options and its callbacks.
///
/// Held by the observations of the object it was registered on, and by its token if it has one. A change calls
/// ``willChange(_:_:_:)`` and ``didChange(_:_:_:)`` with the same ticket; changes nest.
@usableFromInline
package class KeyValueRegistration {
    // Programs have many of these: what few of them need is elsewhere, and small fields stand together.

    @usableFromInline package let path: WatchedKeyPath
    /// The address of the observations that hold this, or of the word of a link, with the lowest bit set; 0 once this was removed or
    /// the object was released. Access is confined with the object, or guarded by the structure's lock.
    @exclusivity(unchecked) private final var holder: UInt = 0
    /// The part of the realm that ends the observation of a managed object on other threads. Set before any other thread can
    /// access this.
    @exclusivity(unchecked) private var ender: (any ObservationEnder)?
    /// The position in the order of the object's registrations.
    @exclusivity(unchecked) package final private(set) var number = 0
    /// The nodes that watch the objects on the key path; nil if the registration watches one plain key. Guarded like `home`.
    @exclusivity(unchecked) final var root: KeyPathNode?
    /// The class of the observed object. Set before any other thread can access this.
    @exclusivity(unchecked) final private var subjectClass: (any SubjectClass)?
    /// The old values of changes in progress, made for the first one: `RecordedOldValues` if they are read component by component,
    /// otherwise what the subclass keeps.
    @usableFromInline @exclusivity(unchecked) final var olds = Companion<AnyObject>()
    @exclusivity(unchecked) private var lastTicket: UInt32 = 0
    @usableFromInline let optionBits: UInt8
    private let removed = Atomic<Bool>(false)
    /// Whether changes are ignored at the moment, because an announced change includes them.
    @exclusivity(unchecked) final var isBusy = false
    /// Whether the other observers are notified before this one.
    @exclusivity(unchecked) final var isNotifiedLast = false
    /// Whether any thread may use the observed object.
    @usableFromInline @exclusivity(unchecked) final var isShared = false
    /// Whether the object stores its properties itself, so that they can be read where they lie.
    @usableFromInline @exclusivity(unchecked) final var isStored = false
    /// Whether a tree of nodes watches the key path. Set once, before the first change.
    @exclusivity(unchecked) final private var hasTree = false

    /// The old values of changes in progress that were read component by component.
    private final class RecordedOldValues {
        @exclusivity(unchecked) var values: [(ticket: UInt32, value: RecordedValue)] = []
    }

    init(_ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions) {
        self.path = path
        optionBits = UInt8(truncatingIfNeeded: options.rawValue)
    }

    @inlinable @inline(__always)
    final var options: NSKeyValueObservingOptions {
        NSKeyValueObservingOptions(rawValue: UInt(optionBits))
    }

    /// The observations that hold this, unretained; nil if they do not, or not any more. Guarded like ``slot``.
    final var home: KeyValueObservations? {
        get {
            if holder & 1 == 1 { return nil }
            return UnsafeRawPointer(bitPattern: holder).map {
                Unmanaged<KeyValueObservations>.fromOpaque($0).takeUnretainedValue()
            }
        }
        set { holder = newValue.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0 }
    }

    /// The slot of an instance's link that holds this; nil if none does. Access is confined with the object, or guarded by the
    /// structure's lock.
    final var slot: RegistrationSlot? {
        get {
            if holder & 1 == 0 { return nil }
            return UnsafePointer(bitPattern: holder & ~1).map { RegistrationSlot(word: $0) }
        }
        set { holder = newValue.map { UInt(bitPattern: $0.word) | 1 } ?? 0 }
    }

    /// Registers this as the only observer of a shared subject that stores its properties.
    final func registerAlone(_ slot: RegistrationSlot, _ subjectClass: any SubjectClass) {
        self.slot = slot
        isShared = true
        self.subjectClass = subjectClass
        isStored = true
    }

    /// Moves the only registration of a shared subject to observations. Called inside of the structure's lock; other threads may be
    /// notifying it, and use what ``registerAlone(_:_:)`` has set.
    final func move(to home: KeyValueObservations, number: Int) {
        self.home = home
        self.number = number
    }

    package final func register(_ home: KeyValueObservations, number: Int) {
        self.home = home
        self.number = number
        isShared = home.isShared
        subjectClass = home.subjectClass
        isStored = home.host == nil
        if let host = home.host { ender = host.ender }
    }

    /// Ends an observation, on any thread. A foreign thread transfers its reference to the realm's own thread, which releases the
    /// closure with its captures.
    package static func end(_ observation: consuming KeyValueRegistration) {
        observation.isRemoved = true
        guard let ender = observation.ender else {
            if observation.isShared { return end(shared: observation) }
            return observation.home?.remove(observation) ?? ()
        }
        if ender.isCurrent { return observation.end(ender) }
        let reference = Unmanaged<AnyObject>.passRetained(consume observation)
        ender.leave(observation: reference)
    }

    /// Ends a registration on a shared subject that may be torn down at the same time.
    private static func end(shared observation: KeyValueRegistration) {
        let root = ObservationLocks.structure.withLock { () -> KeyPathNode? in
            guard let slot = observation.slot else { return observation.home?.detach(observation) }
            observation.slot = nil
            slot.end(observation)
            return nil
        }
        withExtendedLifetime(root) {}
    }

    private func end(_ ender: any ObservationEnder) {
        // The realm holds `home` until `home` becomes nil.
        ender.whileObserving {
            // A subject that is being torn down ends its registrations itself.
            guard let home, let subject = home.liveSubject else { return }
            withExtendedLifetime(subject) { home.remove(self) }
        }
    }

    /// Whether the observer gets no more notifications. Any thread may set this.
    package final var isRemoved: Bool {
        get { removed.load(ordering: .relaxed) }
        set { removed.store(newValue, ordering: .relaxed) }
    }

    /// Whether the observer was released without removing its registration.
    package var isAbandoned: Bool { false }

    /// Whether an unmanaged object keeps the registration when it is added to a realm.
    package var isCarried: Bool { false }

    /// Whether the registration has work before a change.
    final var needsWill: Bool { !options.isDisjoint(with: [.old, .prior]) }

    /// Runs `body` with the old values, which another thread may use if the subject is shared.
    @inline(__always)
    private func guarded<Result>(_ body: () -> Result) -> Result {
        ObservationLocks.guarding(self, isShared: isShared, body)
    }

    /// Returns a number for a change, other than 0 and those of the changes in progress.
    final func nextTicket() -> UInt32 {
        guarded {
            lastTicket = lastTicket == .max ? 1 : lastTicket + 1
            return lastTicket
        }
    }

    /// Reads the old value before a change, if the options ask for it, and keeps it until after the change.
    final func keepOldValue(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32)
        -> RecordedValue
    {
        guard options.contains(.old) else { return .absent }
        let old = oldValue(subject, kind)
        guarded {
            if olds.isNil { olds.begin(RecordedOldValues()) }
            olds.use { unsafeDowncast($0, to: RecordedOldValues.self).values.append((ticket, old)) }
        }
        return old
    }

    /// Removes and returns the old value that was kept for a change.
    final func takeOldValue(_ ticket: UInt32) -> RecordedValue {
        if !options.contains(.old) { return .absent }
        return guarded {
            olds.use { olds in
                let olds = unsafeDowncast(olds, to: RecordedOldValues.self)
                return olds.values.lastIndex { $0.ticket == ticket }.map { olds.values.remove(at: $0).value }
            } ?? nil
        } ?? .absent
    }

    /// Handles the moment before a change: reads the old value, and calls the observer if the options contain `prior`.
    @usableFromInline func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {}

    /// Handles the moment after a change: reads the new value and calls the observer.
    @usableFromInline func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {}

    /// The column whose value is all that the registration observes, with nothing to do before an assignment but to keep the old
    /// value; nil if it observes something else, or if that is not known without asking the class.
    var onlyColumn: Int? { nil }

    /// Whether ``didAssign(_:_:_:_:_:)`` can be called in place of the moments before and after an assignment to a property, which
    /// is the observed key.
    func takesValues(ofColumn column: Int) -> Bool { false }

    /// Handles an assignment, and notifies the observer.
    ///
    /// - Parameters:
    ///   - old: the address of the value before the assignment.
    ///   - new: the address of the assigned value.
    ///   - type: the type of both.
    ///   - load: returns the value at an address.
    @usableFromInline func didAssign(
        _ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type,
        _ load: (UnsafeRawPointer) -> Any
    ) {}

    /// Handles an assignment like ``didAssign(_:_:_:_:_:)``, of which other observers are notified with the same values.
    func didAssign(
        _ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type,
        _ load: (UnsafeRawPointer) -> Any, _ shared: inout SharedRecords
    ) {
        didAssign(subject, old, new, type, load)
    }

    /// Watches the key path again, after an unmanaged object on it became managed.
    func subjectBecameManaged() {
        if let home, root != nil { replaceTree(home) }
    }

    /// Handles the end of the observed object, which was released.
    func subjectEnded() {}

    /// Sends the initial notification, if the options ask for it. The caller holds the subject.
    final func sendInitial(_ subject: AnyObject) {
        if options.contains(.initial) { withExtendedLifetime(subject) { notifyInitially(subject) } }
    }

    /// Calls the observer with the initial value.
    func notifyInitially(_ subject: AnyObject) {}

    // MARK: The key path

    /// Converts a value at the end of the key path to the observer's type; returns nil if it does not fit.
    final func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
        (tree?.lastClass ?? subjectClass)?.converted(value, to: type)
    }

    /// Whether the observed object is invalidated.
    final func isInvalidated(_ subject: AnyObject) -> Bool { subjectClass?.isInvalidated(subject) ?? false }

    /// The observations that hold this, and their subject; nil if the observation has ended or the subject is being torn down.
    final var liveHome: (observations: KeyValueObservations, subject: AnyObject)? {
        ObservationLocks.structurally(isShared: isShared) {
            home.flatMap { home in home.liveSubject.map { (home, $0) } }
        }
    }

    /// The observed object, or nil if the observation has ended or the object is being torn down.
    final var liveSubject: AnyObject? {
        ObservationLocks.structurally(isShared: isShared) { home?.liveSubject }
    }

    /// The tree of the key path.
    final var tree: KeyPathNode? {
        hasTree ? ObservationLocks.structurally(isShared: isShared) { root } : nil
    }

    /// Whether the observed property depends on the properties that it reads.
    final var tracksReads: Bool { tree?.tracksReads ?? false }

    /// Watches the key path from its start, in place of the objects that are watched now. The caller holds the subject of `home`.
    final func replaceTree(_ home: KeyValueObservations, isFirst: Bool = false) {
        hasTree = true
        if !isShared {
            root.take()?.unlisten(home)
            let made = KeyPathNode(self, home)
            root = made
            made.listen(home)
            return made.unpin()
        }
        // Reading the path runs code of the observed classes. Another thread may change the path meanwhile.
        repeat {
            let made = KeyPathNode(self, home)
            let (old, hasEnded) = ObservationLocks.structure.withLock {
                let old = root
                if self.home == nil || (old == nil && !isFirst) { return (old, true) }
                home.keepLiveSubject()
                old?.unlisten(home)
                root = made
                made.listen(home)
                return (old, false)
            }
            withExtendedLifetime(old) {}
            made.unpin()
            if hasEnded { return }
        } while tree?.isCurrent == false
    }

    /// Watches the key path again if it now leads to other objects.
    final func refreshTree() {
        guard let tree, let (home, subject) = liveHome else { return }
        withExtendedLifetime(subject) { if !tree.isCurrent { replaceTree(home) } }
    }
}

extension KeyValueRegistration {
    /// Returns the value at the end of the key path, untyped; returns nil if the path is broken.
    final func currentValue(_ subject: AnyObject) -> Any? {
        if let tree {
            guard let partial = path.partial, let subjectClass else { return tree.value() }
            // The key path may end in a part of the value at the end of the watched path.
            return tree.isIntact ? flatten(subjectClass.value(of: subject, partial)) : nil
        }
        guard let component = path.components.first, let subjectClass else { return nil }
        return flatten(component.read(subject, subjectClass))
    }

    /// Returns the old entry of a change record: the value, or the elements that are about to be removed or replaced. Collections
    /// are copied into arrays and dictionaries.
    private func oldValue(_ subject: AnyObject, _ kind: CollectionChangeKind) -> RecordedValue {
        switch kind {
        case .wholesale: .present(snapshot(currentValue(subject)))
        case .insertion, .scatteredInsertion, .announced(.insertion, _), .setMutation(.union, _, _): .absent
        case .removal(let positions), .replacement(let positions):
            .present(elements(subject, positions.array))
        case .announced(_, let indices): .present(elements(subject, indices, isPromised: true))
        case .setMutation(_, let removed, _): .present(removed)
        }
    }

    /// Returns the new entry of a change record, if the options ask for it: the value, or the elements that were inserted or
    /// replaced others. Collections are copied into arrays and dictionaries.
    final func newValue(_ subject: AnyObject, _ kind: CollectionChangeKind) -> RecordedValue {
        guard options.contains(.new) else { return .absent }
        return switch kind {
        case .wholesale: .present(snapshot(currentValue(subject)))
        case .insertion(let range): .present(elements(subject, Array(range)))
        case .scatteredInsertion(let indices): .present(elements(subject, indices))
        case .replacement(let positions): .present(elements(subject, positions.array))
        case .announced(.removal, _), .removal, .setMutation(.minus, _, _), .setMutation(.intersect, _, _):
            .absent
        case .announced(_, let indices): .present(elements(subject, indices, isPromised: true))
        case .setMutation(_, _, let inserted): .present(inserted)
        }
    }

    private func snapshot(_ value: Any?) -> Any? {
        value.flatMap { cast($0, as: (any ObservedCollection).self) }?.snapshotValue ?? value
    }

    /// Returns the elements at some positions. Elements that another observer has removed meanwhile are left out, or trap if
    /// `isPromised` because the change was announced.
    private func elements(_ subject: AnyObject, _ indices: [Int], isPromised: Bool = false) -> Any? {
        let value = currentValue(subject)
        let count: Int
        let element: (Int) -> Any
        if let value, let collection = cast(value, as: (any ObservedCollection).self) {
            (count, element) = (collection.elementCount, { collection.elements(at: [$0])[0] })
        } else if let array = value as? any ArrayValue {
            (count, element) = (array.count, { array.element(at: $0) })
        } else if let array = value as? [Any] {
            (count, element) = (array.count, { array[$0] })
        } else {
            return nil
        }
        return indices.compactMap { index -> Any? in
            guard index >= 0, index < count else {
                if !isPromised { return nil }
                trap(
                    """
                    A change of '\(path.text)' was announced at index \(index), which is outside of the range of its \
                    \(count) elements: what was announced was not carried out.
                    """)
            }
            return element(index)
        }
    }
}
