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
    private let general: ((AnyObject, Notice) -> Void)?

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
        general body: @escaping (AnyObject, Notice) -> Void
    ) {
        direct = nil
        general = body
        super.init(path, options)
    }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let isPrior = options.contains(.prior)
        if let direct { return direct(subject, .will(isPrior: isPrior), self) }
        let old = keepOldValue(subject, kind, ticket)
        if isPrior { general?(subject, Notice(kind: kind, old: old, new: .absent, isPrior: true)) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        if let direct { return direct(subject, .did, self) }
        let old = takeOldValue(ticket)
        general?(subject, Notice(kind: kind, old: old, new: newValue(subject, kind), isPrior: false))
    }

    override func notifyInitially(_ subject: AnyObject) {
        if let direct { return direct(subject, .initial, self) }
        let new = newValue(subject, .wholesale)
        general?(subject, Notice(kind: .wholesale, old: .absent, new: new, isPrior: false))
    }

    /// Whether the key path can be read because no object on it is invalidated.
    @usableFromInline
    func isReadable(_ subject: AnyObject) -> Bool {
        root?.isIntact ?? !ObservedSubject.isInvalidated(subject)
    }

    /// Returns the value of a broken key path: nil, if the type allows it.
    @usableFromInline
    static func missing<Value>() -> Value? { converted(nil, to: Value.self) }

    /// Converts a value that was read component by component to the observer's type; returns nil if it is absent. A value that is
    /// present and nil becomes `.some(nil)` if the type is optional.
    @usableFromInline
    static func typed<Subject: ObjectBase, Value>(
        _ recorded: RecordedValue, _ subject: Subject, _ keyPath: KeyPath<Subject, Value>
    ) -> Value? {
        guard case .present(let value) = recorded else { return nil }
        // The content of a collection becomes an unmanaged collection.
        if let typed = converted(value, to: Value.self) { return typed }
        guard value != nil else { return AnyRealmValue.none as? Value }
        // The key path continues after the watched property, for example to the length of a string.
        return subject[keyPath: keyPath]
    }
}
