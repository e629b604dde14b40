import Synchronization

/// One registration: what it watches, what it wants to be told, and how.
///
/// Held by the observations of the object it was registered on, and by its token if it has one. A change calls
/// ``willChange(_:_:_:)`` and ``didChange(_:_:_:)``, with the same ticket; changes nest.
@usableFromInline
class KeyValueRegistration {
    let path: WatchedKeyPath
    @usableFromInline let options: NSKeyValueObservingOptions
    /// Where it is registered; nil once it was removed or the object is gone. For who is where the object belongs.
    @exclusivity(unchecked) final unowned(unsafe) var home: Observations?
    /// The realm of a managed object. Set before anybody else knows this.
    private var handle: InstanceHandle?
    /// The place in the order of the registrations of the object.
    @exclusivity(unchecked) final private(set) var number = 0
    /// How it is tied to what its key path leads through; nil if it watches one plain key.
    @exclusivity(unchecked) final var root: KeyPathNode?
    private let removed = Atomic<Bool>(false)
    /// Whether a change is being told that includes all that happens meanwhile.
    @exclusivity(unchecked) final var isBusy = false
    @exclusivity(unchecked) private var lastTicket = 0
    /// Old values of changes in progress, as far as they are read part by part.
    private var olds: [(ticket: Int, value: Any??)] = []

    init(_ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions) {
        self.path = path
        self.options = options
    }

    final func register(_ home: Observations, number: Int) {
        self.home = home
        self.number = number
        if let known = home.handle { handle = known }
    }

    /// Ends an observation, on any thread. A foreign thread passes its reference to the realm's own, which releases the block
    /// with its captures.
    static func end(_ observation: consuming KeyValueRegistration) {
        observation.isRemoved = true
        guard let handle = observation.handle else { return observation.home?.remove(observation) ?? () }
        if handle.isCurrent { return observation.end(handle) }
        let reference = Unmanaged<AnyObject>.passRetained(consume observation)
        handle.leave(observation: reference)
    }

    private func end(_ handle: InstanceHandle) {
        // The instance holds the home by its registry, as long as that is home.
        guard let instanceOwner = handle.instanceOwner else { return }
        withExtendedLifetime(instanceOwner) {
            // What is being torn down ends its registrations itself.
            guard let home, let subject = home.liveSubject else { return }
            withExtendedLifetime(subject) { home.remove(self) }
        }
    }

    /// Whether nothing more is to be told. Set on any thread.
    final var isRemoved: Bool {
        get { removed.load(ordering: .relaxed) }
        set { removed.store(newValue, ordering: .relaxed) }
    }

    /// Whether the observer is no more, without having been removed.
    var isAbandoned: Bool { false }

    /// Whether an unmanaged object takes the registration with it into a realm.
    var isCarried: Bool { false }

    /// Whether there is anything to do before a change.
    final var needsWill: Bool { !options.isDisjoint(with: [.old, .prior]) }

    final func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Reads the old value before a change, if it is asked for, and keeps it for the half after.
    final func keepOldValue(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) -> Any?? {
        guard options.contains(.old) else { return nil }
        let old = oldValue(subject, kind)
        olds.append((ticket, old))
        return old
    }

    /// The old value that was kept for a change.
    final func takeOldValue(_ ticket: Int) -> Any?? {
        olds.lastIndex { $0.ticket == ticket }.flatMap { olds.remove(at: $0).value }
    }

    /// The half before a change: the old value is read, and the observer called if it wants that.
    @usableFromInline func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {}

    /// The half after a change: the new value is read, and the observer called.
    @usableFromInline func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {}

    /// The unmanaged object that the observation's key path leads through is managed now.
    func subjectBecameManaged() {
        if let home { root?.attachAgain(home) }
    }

    /// The notification that comes with the registration.
    func notifyInitially(_ subject: AnyObject) {}
}

extension KeyValueRegistration {
    /// The value at the end of the key path, as the path's parts have it; nil where the path is broken.
    final func currentValue(_ subject: AnyObject) -> Any? {
        if let root { return root.value() }
        guard let component = path.components.first else { return nil }
        return flatten(component.read(subject))
    }

    /// What the old entry of a record is: the value, or the elements that are about to go. Collections as arrays.
    @usableFromInline
    final func oldValue(_ subject: AnyObject, _ kind: CollectionChangeKind) -> Any?? {
        switch kind {
        case .wholesale: .some(snapshot(currentValue(subject)))
        case .insertion, .scatteredInsertion, .setMutation(.union, _, _): nil
        case .removal(let positions), .replacement(let positions): .some(elements(subject, positions.array))
        case .announced(.insertion, _): nil
        case .announced(_, let indices): .some(elements(subject, indices, isPromised: true))
        case .setMutation(_, let left, _): .some(left)
        }
    }

    /// What the new entry of a record is: the value, or the elements that came. Collections as arrays.
    @usableFromInline
    final func newValue(_ subject: AnyObject, _ kind: CollectionChangeKind) -> Any?? {
        switch kind {
        case .wholesale: .some(snapshot(currentValue(subject)))
        case .insertion(let range): .some(elements(subject, Array(range)))
        case .scatteredInsertion(let indices): .some(elements(subject, indices))
        case .replacement(let positions): .some(elements(subject, positions.array))
        case .announced(.removal, _): nil
        case .announced(_, let indices): .some(elements(subject, indices, isPromised: true))
        case .removal, .setMutation(.minus, _, _), .setMutation(.intersect, _, _): nil
        case .setMutation(_, _, let came): .some(came)
        }
    }

    private func snapshot(_ value: Any?) -> Any? {
        (value as? any ModelCollection)?.snapshotValue ?? value
    }

    /// Some elements. Those that another observer has removed meanwhile are left out, unless they were promised by who
    /// announced the change.
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
