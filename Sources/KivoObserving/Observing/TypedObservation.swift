import Foundation

/// A registration by typed key path.
///
/// The type-dependent code is in two closures, which are specialised where they are created. Methods of a generic class would not
/// be specialised, and a notification without values should cost little more than the call of its handler.
@usableFromInline
final class TypedObservation: KeyValueRegistration {
    /// The moment at which a closure that reads values itself is called.
    @usableFromInline
    enum Stage {
        /// Before a change: the closure reads the old value, and calls the observer if `isPrior`.
        case will(isPrior: Bool)
        case did
        case initial
        /// After an assignment, with the addresses of the old and the new value.
        case assigned(old: UnsafeRawPointer, new: UnsafeRawPointer)
    }

    /// The old values of changes in progress. Changes of one property nest for one observer; there is nearly always one.
    @usableFromInline
    final class OldValues<Value> {
        @exclusivity(unchecked) @usableFromInline var last: Value??
        @exclusivity(unchecked) @usableFromInline var outer: [Value?] = []

        @inlinable init() {}

        @inlinable
        func push(_ value: Value?) {
            if let last { outer.append(last) }
            last = .some(value)
        }

        @inlinable
        func pop() -> Value? {
            let value = last
            last = outer.isEmpty ? nil : .some(outer.removeLast())
            return value ?? nil
        }
    }

    /// A notification, with values that were read component by component.
    @usableFromInline
    struct Notice {
        @usableFromInline let kind: CollectionChangeKind
        @usableFromInline let old: RecordedValue
        @usableFromInline let new: RecordedValue
        @usableFromInline let isPrior: Bool
    }

    /// The closure for a property that is not a collection, which reads values itself.
    private let direct: ((AnyObject, Stage, TypedObservation) -> Void)?
    private let general: ((AnyObject, Notice, TypedObservation) -> Void)?

    @usableFromInline
    init(
        _ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions,
        direct body: @escaping (AnyObject, Stage, TypedObservation) -> Void
    ) {
        direct = body
        general = nil
        super.init(path, options)
    }

    @usableFromInline
    init(
        _ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions,
        general body: @escaping (AnyObject, Notice, TypedObservation) -> Void
    ) {
        direct = nil
        general = body
        super.init(path, options)
    }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let isPrior = options.contains(.prior)
        if let direct { return direct(subject, .will(isPrior: isPrior), self) }
        let old = keepOldValue(subject, kind, ticket)
        if isPrior { general?(subject, Notice(kind: kind, old: old, new: .absent, isPrior: true), self) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        if let direct { return direct(subject, .did, self) }
        if options.isDisjoint(with: [.old, .new]) {
            general?(subject, Notice(kind: kind, old: .absent, new: .absent, isPrior: false), self)
            return
        }
        let old = takeOldValue(ticket)
        general?(
            subject, Notice(kind: kind, old: old, new: newValue(subject, kind), isPrior: false), self)
    }

    override func notifyInitially(_ subject: AnyObject) {
        if let direct { return direct(subject, .initial, self) }
        let new = newValue(subject, .wholesale)
        general?(subject, Notice(kind: .wholesale, old: .absent, new: new, isPrior: false), self)
    }

    /// Creates an observation of a property that is not a collection. Its values are read with their own type.
    @inlinable @inline(__always)
    static func direct<Subject: KeyValueObservable, Value>(
        _ subject: Subject, _ keyPath: KeyPath<Subject, Value>, _ path: WatchedKeyPath,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Subject, KeyValueObservedChange<Value>) -> Void
    ) -> TypedObservation {
        let (wantsOld, wantsNew) = (options.contains(.old), options.contains(.new))
        let storage = path.storage
        let olds = wantsOld ? TypedObservation.OldValues<Value>() : nil
        return TypedObservation(
            path, options,
            direct: { subject, stage, observation in
                let subject = unsafeDowncast(subject, to: Subject.self)
                var (old, new): (Value?, Value?)
                var isPrior = false
                switch stage {
                case .will(let hasPrior):
                    if wantsOld {
                        let value = observation.read(subject, keyPath, storage)
                        observation.guardingValues { olds?.push(value) }
                    }
                    if !hasPrior { return }
                    isPrior = true
                    observation.guardingValues { old = olds?.last ?? nil }
                case .did:
                    if wantsOld { observation.guardingValues { old = olds?.pop() } }
                    if wantsNew { new = observation.read(subject, keyPath, storage) }
                case .initial:
                    if wantsNew { new = observation.read(subject, keyPath, storage) }
                case .assigned(let oldValue, let newValue):
                    if wantsOld { old = oldValue.assumingMemoryBound(to: Value.self).pointee }
                    if wantsNew { new = newValue.assumingMemoryBound(to: Value.self).pointee }
                }
                handler(
                    subject,
                    KeyValueObservedChange(
                        kind: .setting, newValue: new, oldValue: old, indexes: nil, isPrior: isPrior))
            })
    }

    /// Returns the value of a property that is not a collection. If the object stores it, it is read where it lies.
    @inlinable @inline(__always)
    func read<Subject: KeyValueObservable, Value>(
        _ subject: Subject, _ keyPath: KeyPath<Subject, Value>, _ storage: WatchedKeyPath.StoredProperty
    ) -> Value? {
        if isStored {
            let address = UnsafeRawPointer(Unmanaged.passUnretained(subject).toOpaque())
            switch storage {
            case .none: break
            case .value(let offset):
                return (address + offset).assumingMemoryBound(to: Value.self).pointee
            case .optional(let offset):
                if let value = (address + offset).assumingMemoryBound(to: Value?.self).pointee {
                    return value
                }
            }
        }
        return isReadable(subject) ? subject[keyPath: keyPath] : TypedObservation.missing()
    }

    /// Returns the components of a typed key path of a subject.
    @usableFromInline
    static func watched(_ keyPath: AnyKeyPath, of subject: some KeyValueObservable) -> WatchedKeyPath {
        subject._observing.base.watched(keyPath, of: subject)
    }

    /// Registers the observation on an object, and returns its token.
    @usableFromInline
    func token(_ subject: some KeyValueObservable) -> KeyValueObservation {
        subject._observing.base.register(self, on: subject)
        return KeyValueObservation(self)
    }

    /// Runs `body` with old values, which another thread may use if the subject is shared.
    @inlinable @inline(__always)
    func guardingValues(_ body: () -> Void) { isShared ? lockingValues(body) : body() }

    @usableFromInline
    func lockingValues(_ body: () -> Void) { ObservationLocks.lock(of: self).withLock(body) }

    /// Whether ``didAssign(_:_:_:)`` can be called in place of the moments before and after an assignment.
    func takesValues(ofColumn column: Int) -> Bool {
        guard direct != nil, !options.contains(.prior), case .value(at: column) = path.storage else {
            return false
        }
        return true
    }

    /// Handles an assignment, and notifies the observer.
    ///
    /// - Parameters:
    ///   - old: the address of the value before the assignment.
    ///   - new: the address of the assigned value.
    @usableFromInline
    func didAssign(_ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
        if !isRemoved { direct?(subject, .assigned(old: old, new: new), self) }
    }

    /// Whether the key path can be read because no object on it is invalidated.
    @usableFromInline
    func isReadable(_ subject: AnyObject) -> Bool {
        tree?.isIntact ?? !isInvalidated(subject)
    }

    /// Returns the value of a broken key path: nil, if the type allows it.
    @usableFromInline
    static func missing<Value>() -> Value? { (Value.self as? any AnyOptional.Type)?.none as? Value }

    /// Converts a value that was read component by component to the observer's type; returns nil if it is absent. A value that is
    /// present and nil becomes `.some(nil)` if the type is optional.
    @usableFromInline
    func typed<Subject: AnyObject, Value>(
        _ recorded: RecordedValue, _ subject: Subject, _ keyPath: KeyPath<Subject, Value>
    ) -> Value? {
        guard case .present(let value) = recorded else { return nil }
        // The content of a collection becomes an unmanaged collection.
        if let typed = converted(value, to: Value.self) { return typed }
        guard value != nil else { return nil }
        // The key path continues after the watched property, for example to the length of a string.
        return subject[keyPath: keyPath]
    }
}
