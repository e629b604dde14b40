import Foundation

/// A registration by typed key path.
///
/// What depends on the types is in two closures, which are specialised where they are made: methods of a generic class
/// would not be, and a notification without values should cost little more than the call of its handler.
@usableFromInline
final class TypedObservation: KeyValueRegistration {
    /// What a closure that reads values itself is called for.
    @usableFromInline
    enum Stage {
        /// Before a change: the old value is to be read, and the observer told if it wants that.
        case will(isTold: Bool)
        case did
        case initial
    }

    /// Old values of changes in progress: of one property and for one observer, these nest. Nearly always there is one.
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

    /// What there is to tell, with values that were read part by part.
    @usableFromInline
    struct Notice {
        @usableFromInline let kind: CollectionChangeKind
        @usableFromInline let old: Any??
        @usableFromInline let new: Any??
        @usableFromInline let isPrior: Bool

        @usableFromInline var hasOld: Bool { if case nil = old { false } else { true } }
        @usableFromInline var hasNew: Bool { if case nil = new { false } else { true } }
    }

    /// Of a property that is no collection.
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
        let isTold = options.contains(.prior)
        if let direct { return direct(subject, .will(isTold: isTold), self) }
        let old = keepOldValue(subject, kind, ticket)
        if isTold { general?(subject, Notice(kind: kind, old: old, new: nil, isPrior: true)) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        if let direct { return direct(subject, .did, self) }
        let old = takeOldValue(ticket)
        let new = options.contains(.new) ? newValue(subject, kind) : nil
        general?(subject, Notice(kind: kind, old: old, new: new, isPrior: false))
    }

    override func notifyInitially(_ subject: AnyObject) {
        if let direct { return direct(subject, .initial, self) }
        let new = options.contains(.new) ? newValue(subject, .wholesale) : nil
        general?(subject, Notice(kind: .wholesale, old: nil, new: new, isPrior: false))
    }

    /// Whether the key path can be read: nothing on it is gone.
    @usableFromInline
    func isReadable(_ subject: AnyObject) -> Bool { root?.isIntact ?? !KeyPathNode.isGone(subject) }

    /// The value of a key path that is broken: nil, if it can be that.
    @usableFromInline
    static func missing<Value>() -> Value? { converted(nil, to: Value.self) }

    /// A value that was read part by part, as the observer's type has it; a nil that is there as `.some(nil)` where the
    /// type is optional.
    @usableFromInline
    static func typed<Subject: ObjectBase, Value>(
        _ value: Any??, _ subject: Subject, _ keyPath: KeyPath<Subject, Value>
    ) -> Value? {
        guard let value else { return nil }
        // The content of a collection becomes a collection that belongs to nobody.
        if let typed = converted(value, to: Value.self) { return typed }
        guard value != nil else { return AnyRealmValue.none as? Value }
        // The key path goes on from what is watched, to the length of a string for example.
        return subject[keyPath: keyPath]
    }
}
