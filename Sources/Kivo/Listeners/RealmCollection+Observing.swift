import Dispatch

/// The forms of observing that all collections have.
///
/// What is called on another queue is `@Sendable`: the compiler has to know that it may run there. Without a queue the block runs
/// where the collection is used.
extension RealmCollection {
    /// Observes the collection: one `.initial`, then an `.update` whenever elements came, went, moved or were modified.
    ///
    /// The block is called on the current thread's run loop, queue or actor: later, never from inside of a commit, and coalesced:
    /// an update is the difference between what the observer saw last and what it sees now. Without key paths an element counts
    /// as modified when it, or an object at most three links away, was; with key paths, when something they name was.
    ///
    /// The indices of lists and sets follow the operations that were carried out, not a comparison of contents. When the owner
    /// is deleted all elements are deleted, once.
    ///
    /// From the reference page "React to Changes", "Register a Collection Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps on unmanaged and frozen collections, and inside of a write transaction that has made changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the collection on a queue: the block is called there, with a collection of the queue's realm.
    ///
    /// The changes are those of ``observe(keyPaths:_:)-([String]?,_)``. The observation begins when the queue gets to it.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for where this is called.
    ///   - block: what to call. It runs on the queue, wherever it was written.
    /// - Returns: a token that keeps the observation alive.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the collection where this is called: the form in which `nil` is written for the queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Observes key paths of the elements; see ``observe(keyPaths:_:)-([String]?,_)``. Traps if one passes through something that
    /// is not persisted.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }

    /// Observes key paths of the elements on a queue; see ``observe(keyPaths:_:)-([String]?,_)``. Traps if one passes through
    /// something that is not persisted.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: queue, calling: block)
    }

    /// Observes key paths where this is called: the form in which `nil` is written for the queue.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: Never?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }
}

extension RealmKeyedCollection {
    /// Observes the map: one `.initial`, then an `.update` whenever keys came or went or values were modified.
    ///
    /// The block is called on the current thread's run loop, queue or actor: later, never from inside of a commit, and coalesced:
    /// an update is the difference between what the observer saw last and what it sees now. It follows the operations that were
    /// carried out, not a comparison of contents: putting an equal value is a modification, and a key that was removed and put
    /// again is deleted and inserted. An object that is deleted leaves its key with nil, as a modification.
    /// Without key paths a value counts as modified when its object, or one at most three links away, was;
    /// with key paths, when something they name was. When the owner is deleted all keys are deleted, once.
    ///
    /// From the reference page "React to Changes", "Register a Collection Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of objects in the map to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps if the map is unmanaged, frozen or invalidated, and inside of a write transaction that has made changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the map on a serial queue, or where this is called if that is nil; see ``observe(keyPaths:_:)``.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the map where this is called: the form in which `nil` is written for the queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }
}
