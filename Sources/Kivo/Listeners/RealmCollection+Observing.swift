import Dispatch

/// The overloads of `observe` that all collections have.
///
/// A block for another queue is `@Sendable`, because the compiler must know that it can run there. Without a queue the block runs
/// where the collection is used.
extension RealmCollection {
    /// Observes the collection: one `.initial`, then an `.update` whenever elements were inserted, removed, moved or modified.
    ///
    /// The block runs on the current thread's run loop, queue or actor: later, never inside a commit. Updates are coalesced: each
    /// is the difference between the state that the observer saw last and the current one. Without key paths an element counts as
    /// modified if it, or an object at most three links away, was modified. With key paths only values that they name count.
    ///
    /// The indices of lists and sets follow the recorded operations, not a comparison of contents. When the owner is deleted, all
    /// elements are reported as deleted, once.
    ///
    /// From realm-swift's page "React to Changes", "Register a Collection Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register. The first call evaluates the collection. An update costs O(log n) for each changed
    ///   element.
    /// - Precondition: The collection is managed and not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the collection on a queue: the block runs there, with a collection of the queue's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``. The observation begins when the queue runs the
    /// registration.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for the caller's context.
    ///   - block: the closure to call. It runs on the queue, whatever isolation it was written in.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: That of the overload without a queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the collection in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the collection on a serial queue, with a block that the compiler does not know to be able to run there. Only for code in
    /// the Swift 5 language mode, where protocols of other libraries require this method of collections.
    ///
    /// - Complexity: That of the overload without a queue.
    @available(swift, obsoleted: 6, message: "the block runs on the queue, and has to be '@Sendable'")
    @_disfavoredOverload
    public func observe(
        on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(nil, on: queue, calling: block)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Observes key paths of the elements; see ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Complexity: O(1) to register. The first call evaluates the collection. An update costs O(log n) for each changed
    ///   element.
    /// - Precondition: The key paths pass only through persisted properties.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }

    /// Observes key paths of the elements on a queue; see ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Complexity: That of the overload without a queue.
    /// - Precondition: The key paths pass only through persisted properties.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: queue, calling: block)
    }

    /// Observes key paths in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: Never?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }
}

extension RealmKeyedCollection {
    /// Observes the map: one `.initial`, then an `.update` whenever keys were inserted or removed or values were modified.
    ///
    /// The block runs on the current thread's run loop, queue or actor: later, never inside a commit. Updates are coalesced: each
    /// is the difference between the state that the observer saw last and the current one. An update follows the recorded
    /// operations, not a comparison of contents: putting an equal value is a modification, and a key that was removed and put
    /// again is deleted and inserted. When an object is deleted, its key stays with nil, which is a modification. Without key
    /// paths a value counts as modified if its object, or one at most three links away, was modified. With key paths only values
    /// that they name count. When the owner is deleted, all keys are reported as deleted, once.
    ///
    /// From realm-swift's page "React to Changes", "Register a Collection Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of objects in the map to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register. An update costs O(log n) for each changed entry.
    /// - Precondition: The map is managed, not frozen and not invalidated, and no write transaction is open that has made
    ///   changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the map on a serial queue, or in the caller's context if `queue` is nil; see ``observe(keyPaths:_:)``.
    ///
    /// - Complexity: That of the overload without a queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the map in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }
}
