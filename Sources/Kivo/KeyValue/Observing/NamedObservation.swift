import Foundation

/// A registration by name. It notifies the observer through ``KeyValueObserver``, with a record as a dictionary.
final class NamedObservation: KeyValueRegistration {
    private weak var observer: (any KeyValueObserver)?
    /// The identity of the observer, which stays valid while the observer is being torn down.
    private let identity: ObjectIdentifier
    private let context: UnsafeMutableRawPointer?

    init(
        _ observer: any KeyValueObserver, _ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions,
        _ context: UnsafeMutableRawPointer?
    ) {
        self.observer = observer
        self.context = context
        identity = ObjectIdentifier(observer)
        super.init(path, options)
    }

    /// Whether a removal applies to this registration; a context of nil in the outer optional matches any context.
    func isRegistration(
        of observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??
    ) -> Bool {
        guard identity == ObjectIdentifier(observer), path.text == keyPath else { return false }
        return context.map { $0 == self.context } ?? true
    }

    override var isAbandoned: Bool { observer == nil }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let old = keepOldValue(subject, kind, ticket)
        if options.contains(.prior) { notify(subject, kind, old: old, new: nil, isPrior: true) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let old = takeOldValue(ticket)
        let new = options.contains(.new) ? newValue(subject, kind) : nil
        notify(subject, kind, old: old, new: new, isPrior: false)
    }

    override func notifyInitially(_ subject: AnyObject) {
        let new = options.contains(.new) ? newValue(subject, .wholesale) : nil
        notify(subject, .wholesale, old: nil, new: new, isPrior: false)
    }

    private func notify(
        _ subject: AnyObject, _ kind: CollectionChangeKind, old: Any??, new: Any??, isPrior: Bool
    ) {
        guard let observer else { return }
        var record: [NSKeyValueChangeKey: Any] = [.kindKey: kind.change.rawValue]
        if let old { record[.oldKey] = recorded(old) }
        if let new { record[.newKey] = recorded(new) }
        if let indexes = kind.indexes { record[.indexesKey] = indexes }
        if isPrior { record[.notificationIsPriorKey] = true }
        observer.observeValue(forKeyPath: path.text, of: subject, change: record, context: context)
    }

    /// Returns a value as it is stored in a record: nil as the null marker.
    private func recorded(_ value: Any?) -> Any { flatten(value).map(boxed) ?? NSNull() }
}
