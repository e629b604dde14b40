import Synchronization

/// The old or the new entry of a change record.
@usableFromInline
enum RecordedValue {
    /// The options do not ask for the entry, or changes of this kind do not have it.
    case absent
    /// The value, or nil if the value is nil or the key path is broken.
    case present(Any?)

    @usableFromInline var isAbsent: Bool { if case .absent = self { true } else { false } }
}

/// A registration of an observer: the key path that it watches, its options and its callbacks.
///
/// Held by the observations of the object it was registered on, and by its token if it has one. A change calls
/// ``willChange(_:_:_:)`` and ``didChange(_:_:_:)`` with the same ticket; changes nest.
@usableFromInline
class KeyValueRegistration {
    let path: WatchedKeyPath
    @usableFromInline let options: NSKeyValueObservingOptions
    /// The observations that hold this; nil once it was removed or the object was released. Access is confined with the object.
    @exclusivity(unchecked) final unowned(unsafe) var home: Observations?
    /// The realm of a managed object. Set before any other thread can access this.
    private var handle: InstanceHandle?
    /// The position in the order of the object's registrations.
    @exclusivity(unchecked) final private(set) var number = 0
    /// The nodes that watch the objects on the key path; nil if the registration watches one plain key.
    @exclusivity(unchecked) final var root: KeyPathNode?
    private let removed = Atomic<Bool>(false)
    /// Whether changes are ignored at the moment, because an announced change includes them.
    @exclusivity(unchecked) final var isBusy = false
    @exclusivity(unchecked) private var lastTicket = 0
    /// The old values of changes in progress, if they are read component by component.
    private var olds: [(ticket: Int, value: RecordedValue)] = []

    init(_ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions) {
        self.path = path
        self.options = options
    }

    final func register(_ home: Observations, number: Int) {
        self.home = home
        self.number = number
        if let known = home.handle { handle = known }
    }

    /// Ends an observation, on any thread. A foreign thread transfers its reference to the realm's own thread, which releases the
    /// closure with its captures.
    static func end(_ observation: consuming KeyValueRegistration) {
        observation.isRemoved = true
        guard let handle = observation.handle else { return observation.home?.remove(observation) ?? () }
        if handle.isCurrent { return observation.end(handle) }
        let reference = Unmanaged<AnyObject>.passRetained(consume observation)
        handle.leave(observation: reference)
    }

    private func end(_ handle: InstanceHandle) {
        // The instance's registry holds `home` until `home` becomes nil.
        guard let instanceOwner = handle.instanceOwner else { return }
        withExtendedLifetime(instanceOwner) {
            // A subject that is being torn down ends its registrations itself.
            guard let home, let subject = home.liveSubject else { return }
            withExtendedLifetime(subject) { home.remove(self) }
        }
    }

    /// Whether the observer gets no more notifications. Any thread may set this.
    final var isRemoved: Bool {
        get { removed.load(ordering: .relaxed) }
        set { removed.store(newValue, ordering: .relaxed) }
    }

    /// Whether the observer was released without removing its registration.
    var isAbandoned: Bool { false }

    /// Whether an unmanaged object keeps the registration when it is added to a realm.
    var isCarried: Bool { false }

    /// Whether the registration has work before a change.
    final var needsWill: Bool { !options.isDisjoint(with: [.old, .prior]) }

    final func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Reads the old value before a change, if the options ask for it, and keeps it until after the change.
    final func keepOldValue(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int)
        -> RecordedValue
    {
        guard options.contains(.old) else { return .absent }
        let old = oldValue(subject, kind)
        olds.append((ticket, old))
        return old
    }

    /// Removes and returns the old value that was kept for a change.
    final func takeOldValue(_ ticket: Int) -> RecordedValue {
        olds.lastIndex { $0.ticket == ticket }.map { olds.remove(at: $0).value } ?? .absent
    }

    /// Handles the moment before a change: reads the old value, and calls the observer if the options contain `prior`.
    @usableFromInline func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {}

    /// Handles the moment after a change: reads the new value and calls the observer.
    @usableFromInline func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {}

    /// Attaches the key path again, after an unmanaged object on it became managed.
    func subjectBecameManaged() {
        if let home { root?.attachAgain(home) }
    }

    /// Sends the initial notification.
    func notifyInitially(_ subject: AnyObject) {}
}

extension KeyValueRegistration {
    /// Returns the value at the end of the key path, untyped; returns nil if the path is broken.
    final func currentValue(_ subject: AnyObject) -> Any? {
        if let root { return root.value() }
        guard let component = path.components.first else { return nil }
        return flatten(component.read(subject))
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
        (value as? any ModelCollection)?.snapshotValue ?? value
    }

    /// Returns the elements at some positions. Elements that another observer has removed meanwhile are left out, or trap if
    /// `isPromised` because the change was announced.
    private func elements(_ subject: AnyObject, _ indices: [Int], isPromised: Bool = false) -> Any? {
        let value = currentValue(subject)
        let count: Int
        let element: (Int) -> Any
        if let collection = value as? any ModelCollection {
            (count, element) = (collection.elementCount, { collection.elements(at: [$0])[0] })
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
