import KivoEngine

extension Realm {
    /// Runs a block in a write transaction and commits it; cancels it if the block throws.
    ///
    /// Waits for the one writer's place, first moves to the newest version and delivers what is pending. A block may
    /// commit or cancel by itself; then nothing is left to do.
    ///
    /// - Parameters:
    ///   - tokens: tokens of this instance whose observers are not told of this one write.
    ///   - block: the changes.
    /// - Throws: what the block throws; ``Realm/Error`` if the data cannot be written or a data error happened inside
    ///   (a duplicate primary key), or if it waited for longer than ``Realm/Configuration/lockTimeout``. Nothing has changed then.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        try instance.beginWriteInTime()
        let result: Result
        do {
            result = try instance.onThisThread(block)
        } catch {
            if instance.isInWriteTransaction { instance.cancelWrite() }
            throw error
        }
        if instance.isInWriteTransaction { try instance.commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Opens a write transaction. Waits for the one writer's place, moves to the newest version and delivers what is
    /// pending. Traps if one is open already.
    ///
    /// The transaction lasts until ``commitWrite(withoutNotifying:)``, ``cancelWrite()`` or ``invalidate()`` ends it, and
    /// keeps this instance alive until then. If its thread ends first, the transaction is rolled back. If its actor goes
    /// away, or on other platforms than Apple's nobody refers to its queue any more, it is rolled back about a second after
    /// somebody began to wait for the writer's place.
    public func beginWrite() { instance.beginWrite() }

    /// Commits the open transaction: durable and visible to others when this returns.
    ///
    /// Observers of the realm are called before this returns, others on their next turn.
    ///
    /// - Parameter tokens: tokens of this instance whose observers are not told of this one write.
    /// - Throws: ``Realm/Error`` if the data cannot be written or a data error happened inside; the transaction is
    ///   rolled back then.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        try instance.commitWrite(withoutNotifying: tokens)
    }

    /// Rolls the open transaction back. Objects that were added in it become invalid.
    public func cancelWrite() { instance.cancelWrite() }

    /// Whether a write transaction of this instance is open.
    public var isInWriteTransaction: Bool {
        instance.checkConfinement()
        return instance.isInWriteTransaction
    }

    /// Moves to the newest version and delivers notifications before it returns.
    ///
    /// Does nothing and returns false inside a write transaction, inside a notification and on a frozen realm.
    ///
    /// - Returns: whether there was a newer version.
    @discardableResult
    public func refresh() -> Bool { instance.refresh() }

    /// Whether this instance moves to new versions on its own, on the next turn of its run loop or queue. True unless set.
    ///
    /// A thread without a run loop refreshes by hand in any case. The run loop of a thread other than the main one, which
    /// costs descriptors of the system, is used from the moment that something is observed there or this is set to true.
    public var autorefresh: Bool {
        get {
            instance.checkConfinement()
            return instance.autorefresh
        }
        nonmutating set {
            instance.checkConfinement()
            instance.autorefresh = newValue
        }
    }

    /// Ends the instance's read transaction: its objects and collections become invalid for good, an open write is
    /// cancelled. The next read starts at the newest version.
    public func invalidate() { instance.invalidate() }
}
