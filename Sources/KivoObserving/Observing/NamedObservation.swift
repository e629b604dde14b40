import Foundation

/// A registration by name. It notifies the observer through ``KeyValueObserver``, with a record as a dictionary.
package final class NamedObservation: KeyValueRegistration {
    private weak var observer: (any KeyValueObserver)?
    /// The address of the observer, which stays valid while the observer is being torn down.
    private let observerID: ObjectIdentifier
    private let context: UnsafeMutableRawPointer?
    /// Whether the observer's conformance belongs to the main actor.
    private let isOfMainActor: Bool
    /// The dictionary of assignments whose values lie in memory; nil if there are none with values.
    private let reused: ReusedRecord?

    package init(
        _ observer: any KeyValueObserver, _ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions,
        _ context: UnsafeMutableRawPointer?
    ) {
        self.observer = observer
        self.context = context
        isOfMainActor = IsolatedConformance.isOfMainActor(observer)
        observerID = ObjectIdentifier(observer)
        let hasValues = !options.isDisjoint(with: [.old, .new])
        reused = hasValues && !options.contains(.prior) ? ReusedRecord(options) : nil
        super.init(path, options)
    }

    /// An observer and the key path for which it is registered.
    struct Identity: Hashable {
        let observer: ObjectIdentifier
        let keyPath: String
    }

    var identity: Identity { Identity(observer: observerID, keyPath: path.text) }

    /// Whether a removal applies to this registration; a context of nil in the outer optional matches any context.
    func isRegistration(_ identity: Identity, _ context: UnsafeMutableRawPointer??) -> Bool {
        guard observerID == identity.observer, path.text == identity.keyPath else { return false }
        return context.map { $0 == self.context } ?? true
    }

    package override var isAbandoned: Bool { observer == nil }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        let old = keepOldValue(subject, kind, ticket)
        if options.contains(.prior) { notify(subject, kind, old: old, new: .absent, isPrior: true) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        let old = takeOldValue(ticket)
        notify(subject, kind, old: old, new: newValue(subject, kind), isPrior: false)
    }

    override func notifyInitially(_ subject: AnyObject) {
        let new = newValue(subject, .wholesale)
        notify(subject, .wholesale, old: .absent, new: new, isPrior: false)
    }

    override func takesValues(ofColumn column: Int) -> Bool { !options.contains(.prior) }

    override func didAssign(
        _ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type,
        _ load: (UnsafeRawPointer) -> Any
    ) {
        if isRemoved { return }
        guard let observer else { return dropAbandoned() }
        guard let reused else {
            return notify(subject, .wholesale, old: .absent, new: .absent, isPrior: false)
        }
        let isDone = reused.filled(old, new, type, load) { record in
            send(record, subject, observer)
        }
        if isDone { return }
        let values: (old: RecordedValue, new: RecordedValue) = (
            options.contains(.old) ? .present(load(old)) : .absent,
            options.contains(.new) ? .present(load(new)) : .absent
        )
        notify(subject, .wholesale, old: values.old, new: values.new, isPrior: false)
    }

    override func didAssign(
        _ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type,
        _ load: (UnsafeRawPointer) -> Any, _ shared: inout SharedRecords
    ) {
        if isRemoved { return }
        guard let observer else { return dropAbandoned() }
        let options = options
        if options.isDisjoint(with: [.old, .new]) {
            return send(Self.bareRecord, subject, observer)
        }
        let record = shared.record(options) {
            var record = [NSKeyValueChangeKey: Any](minimumCapacity: 3)
            record[.kindKey] = NSKeyValueChange.setting.rawValue
            if options.contains(.old) { record[.oldKey] = RecordedForm.converted(load(old)) }
            if options.contains(.new) { record[.newKey] = RecordedForm.converted(load(new)) }
            return record
        }
        send(record, subject, observer)
    }

    /// Calls the observer. Traps if its conformance belongs to the main actor and this code runs elsewhere.
    @inline(__always)
    private func send(
        _ record: [NSKeyValueChangeKey: Any], _ subject: AnyObject, _ observer: any KeyValueObserver
    ) {
        if isOfMainActor, !HandlerIsolation.isOnMainQueue { trapElsewhere(subject, observer) }
        observer.observeValue(forKeyPath: path.text, of: subject, change: record, context: context)
    }

    private func trapElsewhere(_ subject: AnyObject, _ observer: AnyObject) -> Never {
        trap(
            """
            The conformance of '\(type(of: observer))' to 'KeyValueObserver' is isolated to the main actor, and the observed \
            property '\(type(of: subject)).\(path.text)' was changed elsewhere: iterate over 'values(of:)' or 'changes(of:)' \
            there, or observe with a class that is not isolated.
            """)
    }

    /// Ends the registration of an observer that was released without being removed.
    private func dropAbandoned() {
        if isRemoved { return }
        ObservationLocks.structurally(isShared: isShared) { home?.noteDropped() }
        KeyValueRegistration.end(self)
    }

    private func notify(
        _ subject: AnyObject, _ kind: CollectionChangeKind, old: RecordedValue, new: RecordedValue,
        isPrior: Bool
    ) {
        guard let observer else { return dropAbandoned() }
        if case .wholesale = kind, old.isAbsent, new.isAbsent, !isPrior {
            return send(Self.bareRecord, subject, observer)
        }
        var record = [NSKeyValueChangeKey: Any](minimumCapacity: 3)
        record[.kindKey] = kind.change.rawValue
        if case .present(let old) = old { record[.oldKey] = RecordedForm.converted(old) }
        if case .present(let new) = new { record[.newKey] = RecordedForm.converted(new) }
        if let indexes = kind.indexes { record[.indexesKey] = indexes }
        if isPrior { record[.notificationIsPriorKey] = true }
        send(record, subject, observer)
    }

    /// The record of an assignment for an observer that asked for no values. The most frequent one, therefore made once.
    private static var bareRecord: [NSKeyValueChangeKey: Any] { bare.record }
    private static let bare = Bare()

    private struct Bare: @unchecked Sendable {
        // Proof of `Sendable`: the only value in it is a number.
        let record: [NSKeyValueChangeKey: Any] = [.kindKey: NSKeyValueChange.setting.rawValue]
    }

    /// Traps because an observer receives a notification that its class does not handle.
    static func trapUnhandled(_ keyPath: String?, _ observer: AnyObject) -> Never {
        trap(
            """
            A notification of '\(keyPath ?? "")' was received but not handled: override \
            'observeValue(forKeyPath:of:change:context:)' in class '\(type(of: observer))', and forward to 'super' only \
            notifications for which that class has not registered.
            """)
    }
}

/// A registration whose notifications a closure receives, without values: for observers that the library itself makes.
package final class CallbackRegistration: KeyValueRegistration {
    /// The moment at which the closure is called.
    package enum Moment {
        case will, did
        /// An unmanaged object on the key path became managed.
        case becameManaged
        /// The observed object was released.
        case subjectEnded
    }

    private let body: (Moment) -> Void
    private let isKept: Bool

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - isPrior: Whether the closure is called before changes, too.
    ///   - isCarried: Whether an unmanaged object keeps the registration when it is added to a realm.
    package init(
        _ path: WatchedKeyPath, isPrior: Bool = false, isCarried: Bool = false,
        _ body: @escaping (Moment) -> Void
    ) {
        self.body = body
        isKept = isCarried
        super.init(path, isPrior ? .prior : [])
    }

    package override var isCarried: Bool { isKept }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        body(.will)
    }
    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        body(.did)
    }

    override func subjectEnded() { body(.subjectEnded) }

    override func subjectBecameManaged() {
        body(.becameManaged)
        super.subjectBecameManaged()
    }
}
