import Foundation

/// A registration by typed key path.
///
/// The type-dependent code is in a closure, which is specialised where it is created. Methods of a generic class would not be
/// specialised, and a notification without values should cost little more than the call of its handler.
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
        /// Before values are read for an observation that does not read them itself, if its handler belongs to an actor.
        case check
        /// Any of these moments, for an observation that does not read values itself. The pointer is valid during the call.
        case notice(UnsafePointer<Notice>)
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

    /// Whether `body` reads the values itself.
    private let isDirect: Bool
    /// Whether the handler belongs to an actor, which the body checks.
    private let isIsolated: Bool
    /// Calls the observer.
    private let body: (AnyObject, Stage, TypedObservation) -> Void

    @usableFromInline
    init(
        _ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions, isDirect: Bool, _ actor: (any Actor)?,
        _ body: @escaping (AnyObject, Stage, TypedObservation) -> Void
    ) {
        if let actor { self.body = TypedObservation.checked(actor, body) } else { self.body = body }
        self.isDirect = isDirect
        isIsolated = actor != nil
        super.init(path, options)
    }

    /// Returns a body that traps, before it reads a value or calls the observer, unless it is called on the observer's actor.
    private static func checked(
        _ actor: any Actor, _ body: @escaping (AnyObject, Stage, TypedObservation) -> Void
    ) -> (AnyObject, Stage, TypedObservation) -> Void {
        { subject, stage, observation in
            HandlerIsolation.check(actor, subject, observation.path)
            if case .check = stage { return }
            body(subject, stage, observation)
        }
    }

    private func checkIsolation(_ subject: AnyObject) { if isIsolated { body(subject, .check, self) } }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        let isPrior = options.contains(.prior)
        if isDirect { return body(subject, .will(isPrior: isPrior), self) }
        checkIsolation(subject)
        let old = keepOldValue(subject, kind, ticket)
        if isPrior { send(subject, Notice(kind: kind, old: old, new: .absent, isPrior: true)) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        if isDirect { return body(subject, .did, self) }
        checkIsolation(subject)
        if options.isDisjoint(with: [.old, .new]) {
            return send(subject, Notice(kind: kind, old: .absent, new: .absent, isPrior: false))
        }
        let old = takeOldValue(ticket)
        send(subject, Notice(kind: kind, old: old, new: newValue(subject, kind), isPrior: false))
    }

    override func notifyInitially(_ subject: AnyObject) {
        if isDirect { return body(subject, .initial, self) }
        checkIsolation(subject)
        let new = newValue(subject, .wholesale)
        send(subject, Notice(kind: .wholesale, old: .absent, new: new, isPrior: false))
    }

    private func send(_ subject: AnyObject, _ notice: Notice) {
        withUnsafePointer(to: notice) { body(subject, .notice($0), self) }
    }

    /// Creates an observation of a property that is not a collection. Its values are read with their own type.
    @inlinable @inline(__always)
    static func direct<Subject: KeyValueObservable, Value>(
        _ subject: Subject, _ keyPath: KeyPath<Subject, Value>, _ path: WatchedKeyPath,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping @isolated(any) (Subject, KeyValueObservedChange<Value>) -> Void
    ) -> TypedObservation {
        // A closure that captures nothing but the key path: if that is a literal, the closure calls the property's getter.
        let get: (Subject) -> Value = { $0[keyPath: keyPath] }
        let (actor, handler) = (handler.isolation, HandlerIsolation.plain(handler))
        // Each observation has the memory of what the closure captures, which therefore reads the rest from the observation.
        return TypedObservation(path, options, isDirect: true, actor) { subject, stage, observation in
            let subject = unsafeDowncast(subject, to: Subject.self)
            let options = observation.options
            let (wantsOld, wantsNew) = (options.contains(.old), options.contains(.new))
            var (old, new): (Value?, Value?)
            var isPrior = false
            switch stage {
            case .will(let hasPrior):
                if wantsOld {
                    let value = observation.read(subject, get)
                    observation.guardingValues { observation.withOldValues(Value.self) { $0.push(value) } }
                }
                if !hasPrior { return }
                isPrior = true
                if wantsOld {
                    observation.guardingValues {
                        old = observation.withOldValues(Value.self) { $0.last ?? nil }
                    }
                }
            case .did:
                if wantsOld {
                    observation.guardingValues { old = observation.withOldValues(Value.self) { $0.pop() } }
                }
                if wantsNew { new = observation.read(subject, get) }
            case .initial:
                if wantsNew { new = observation.read(subject, get) }
            case .assigned(let oldValue, let newValue):
                if wantsOld { old = oldValue.assumingMemoryBound(to: Value.self).pointee }
                if wantsNew { new = newValue.assumingMemoryBound(to: Value.self).pointee }
            case .check, .notice: return
            }
            handler(
                subject,
                KeyValueObservedChange(
                    kind: .setting, newValue: new, oldValue: old, indexes: nil, isPrior: isPrior))
        }
    }

    /// Creates an observation of any property, which has its values read component by component.
    @inlinable @inline(__always)
    static func general<Subject: KeyValueObservable, Value>(
        _ subject: Subject, _ keyPath: KeyPath<Subject, Value>, _ path: WatchedKeyPath,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping @isolated(any) (Subject, KeyValueObservedChange<Value>) -> Void
    ) -> TypedObservation {
        // A closure that captures nothing but the key path: if that is a literal, the closure calls the property's getter.
        let get: (Subject) -> Value = { $0[keyPath: keyPath] }
        let (actor, handler) = (handler.isolation, HandlerIsolation.plain(handler))
        return TypedObservation(path, options, isDirect: false, actor) { subject, stage, observation in
            guard case .notice(let notice) = stage else { return }
            let subject = unsafeDowncast(subject, to: Subject.self)
            // Copies of the notice's values cost as much as a notification without values.
            var (old, new): (Value?, Value?)
            let options = observation.options
            if options.contains(.old) { old = observation.typed(notice.pointee.old, subject, get) }
            if options.contains(.new) { new = observation.typed(notice.pointee.new, subject, get) }
            handler(
                subject,
                KeyValueObservedChange(
                    kind: notice.pointee.kind.change, newValue: new, oldValue: old,
                    indexes: notice.pointee.kind.indexes, isPrior: notice.pointee.isPrior))
        }
    }

    /// Calls `body` with the old values of the changes in progress, inside of ``guardingValues(_:)``.
    @inlinable @inline(__always)
    func withOldValues<Value, Result>(_ type: Value.Type, _ body: (OldValues<Value>) -> Result) -> Result {
        if olds.isNil { olds.begin(OldValues<Value>()) }
        return olds.use { body(unsafeDowncast($0, to: OldValues<Value>.self)) }!
    }

    /// Returns the value of a property that is not a collection. If the object stores it, it is read where it lies.
    @inlinable @inline(__always)
    func read<Subject: KeyValueObservable, Value>(
        _ subject: Subject, _ get: (Subject) -> Value
    ) -> Value? {
        if isStored {
            let address = UnsafeRawPointer(Unmanaged.passUnretained(subject).toOpaque())
            switch path.storage {
            case .none: break
            case .value(let offset):
                return (address + offset).assumingMemoryBound(to: Value.self).pointee
            case .optional(let offset):
                if let value = (address + offset).assumingMemoryBound(to: Value?.self).pointee {
                    return value
                }
            }
        }
        return isReadable(subject) ? get(subject) : TypedObservation.missing()
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

    override var onlyColumn: Int? {
        guard isDirect, !options.contains(.prior), case .value(let column) = path.storage else { return nil }
        return column
    }

    override func takesValues(ofColumn column: Int) -> Bool { onlyColumn == column }

    override func didAssign(
        _ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type,
        _ load: (UnsafeRawPointer) -> Any
    ) {
        if !isRemoved { body(subject, .assigned(old: old, new: new), self) }
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
        _ recorded: RecordedValue, _ subject: Subject, _ get: (Subject) -> Value
    ) -> Value? {
        guard case .present(let value) = recorded else { return nil }
        // The content of a collection becomes an unmanaged collection.
        if let typed = converted(value, to: Value.self) { return typed }
        guard value != nil else { return nil }
        // The key path continues after the watched property, for example to the length of a string.
        return get(subject)
    }
}
