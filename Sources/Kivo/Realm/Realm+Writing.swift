import KivoEngine

extension Realm {
    /// Runs a block in a write transaction and commits it; cancels it if the block throws.
    ///
    /// Waits for the write lock, advances to the newest version and delivers pending notifications before the block runs. The
    /// block may itself commit or cancel the transaction; then nothing is committed afterwards.
    ///
    /// - Parameters:
    ///   - tokens: Tokens of this instance whose observers are not notified of this write. Paced ones are notified of what they hold
    ///   before it: see ``Realm/Pacing``.
    ///   - block: The changes.
    /// - Throws: The error that the block throws; ``Realm/Error`` if the data cannot be written, if a data error happened inside
    ///   (a duplicate primary key), or if the wait exceeded ``Realm/Configuration/lockTimeout``. Nothing is changed in these
    ///   cases.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        try instance.beginWriteInTime(delivering: tokens)
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

    /// Runs a block in a write transaction and commits it, and runs it again on the newest version if another store of the same
    /// ``Realm/Configuration/commitLog`` commits first. The block must do nothing but change the realm, because it may run more
    /// than once. Notifications are delivered in between.
    ///
    /// - Parameters:
    ///   - attempts: The number of times that the block may run.
    ///   - block: The changes.
    /// - Throws: The errors of ``write(withoutNotifying:_:)``; ``Realm/Error/Code/conflictingWrite`` after the last attempt.
    @discardableResult
    public func write<Result>(attempts: Int, _ block: () throws -> Result) throws -> Result {
        var attempt = 1
        while true {
            do {
                return try write(block)
            } catch Error.conflictingWrite where attempt < attempts {
                attempt += 1
                instance.store.awaitForeignCommits()
            }
        }
    }

    /// Finds out whether a write whose outcome was unknown was carried out. If that is open, it is decided now: after false the
    /// write will not be carried out, and may be tried again.
    ///
    /// - Parameter error: The error of the code ``Realm/Error/Code/unknownOutcome`` that the write has thrown.
    /// - Returns: Whether the write was carried out; false for any other error, because nothing was.
    /// - Throws: The same error if it is still unknown when ``Realm/Configuration/commitTimeout`` has passed.
    /// - Precondition: No write transaction is open.
    public func wasCarriedOut(_ error: Error) throws -> Bool {
        instance.checkConfinement()
        if instance.isInWriteTransaction { trap("A write is open: end it before asking for another one.") }
        guard let unknown = error.unknown else { return false }
        do {
            return try instance.store.resolve(unknown)
        } catch {
            throw Error.wrapping(error, configuration.fileURL)
        }
    }

    /// Opens a write transaction. Waits for the write lock, advances to the newest version and delivers pending notifications.
    ///
    /// The transaction lasts until ``commitWrite(withoutNotifying:)``, ``cancelWrite()`` or ``invalidate()`` ends it, and keeps
    /// this instance alive until then. If its thread ends first, the transaction is rolled back. It is also rolled back if its
    /// actor is deallocated or, on platforms other than Apple's, if its queue has no references left. That takes place about a
    /// second after another writer began to wait for the write lock.
    ///
    /// - Precondition: No write transaction is open.
    public func beginWrite() { instance.beginWrite() }

    /// Commits the open transaction: it is durable and visible to others when this returns.
    ///
    /// Observers of this realm are called before this returns, others on their next turn.
    ///
    /// - Parameter tokens: Tokens of this instance whose observers are not notified of this write.
    /// - Throws: ``Realm/Error`` if the data cannot be written or a data error happened inside. The transaction is rolled back
    ///   then.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        try instance.commitWrite(withoutNotifying: tokens)
    }

    /// Rolls the open transaction back. Objects that were added in it become invalid.
    public func cancelWrite() { instance.cancelWrite() }

    /// A Boolean value that indicates whether a write transaction of this instance is open.
    public var isInWriteTransaction: Bool {
        instance.checkConfinement()
        return instance.isInWriteTransaction
    }

    /// Advances to the newest version and delivers notifications before it returns.
    ///
    /// Does nothing and returns false inside a write transaction, inside a notification and on a frozen realm.
    ///
    /// - Returns: Whether there was a newer version.
    @discardableResult
    public func refresh() -> Bool { instance.refresh() }

    /// A Boolean value that indicates whether this instance advances to new versions automatically, on the next turn of its run
    /// loop or queue. The default is true.
    ///
    /// A thread without a run loop has to refresh by hand in any case. A run loop of a thread other than the main one costs
    /// descriptors of the system. It is therefore used only from the moment when something is observed there or this property is
    /// set to true.
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

    /// Ends the instance's read transaction and cancels an open write. Its objects and collections become invalid permanently.
    /// The next read starts at the newest version.
    public func invalidate() { instance.invalidate() }
}
