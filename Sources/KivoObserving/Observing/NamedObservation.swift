import Foundation

/// A registration by name. It notifies the observer through ``KeyValueObserver``, with a record as a dictionary.
package final class NamedObservation: KeyValueRegistration {
    private weak var observer: (any KeyValueObserver)?
    /// The identity of the observer, which stays valid while the observer is being torn down.
    private let identity: ObjectIdentifier
    private let context: UnsafeMutableRawPointer?

    package init(
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

    package override var isAbandoned: Bool { observer == nil }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let old = keepOldValue(subject, kind, ticket)
        if options.contains(.prior) { notify(subject, kind, old: old, new: .absent, isPrior: true) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let old = takeOldValue(ticket)
        notify(subject, kind, old: old, new: newValue(subject, kind), isPrior: false)
    }

    override func notifyInitially(_ subject: AnyObject) {
        let new = newValue(subject, .wholesale)
        notify(subject, .wholesale, old: .absent, new: new, isPrior: false)
    }

    private func notify(
        _ subject: AnyObject, _ kind: CollectionChangeKind, old: RecordedValue, new: RecordedValue,
        isPrior: Bool
    ) {
        guard let observer else { return }
        var record: [NSKeyValueChangeKey: Any] = [.kindKey: kind.change.rawValue]
        if case .present(let old) = old { record[.oldKey] = recorded(old) }
        if case .present(let new) = new { record[.newKey] = recorded(new) }
        if let indexes = kind.indexes { record[.indexesKey] = indexes }
        if isPrior { record[.notificationIsPriorKey] = true }
        observer.observeValue(forKeyPath: path.text, of: subject, change: record, context: context)
    }

    /// Returns a value as it is stored in a record: nil as the null marker.
    private func recorded(_ value: Any?) -> Any { flatten(value).map(boxed) ?? NSNull() }
}
