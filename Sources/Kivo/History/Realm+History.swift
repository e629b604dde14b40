import KivoEngine
import KivoJournal

extension Realm {
    /// The version of the contents that this instance shows. Inside of a write transaction it is the version before it.
    ///
    /// Asynchronous writes of this instance that are not durable yet do not count: changes since the version will include them.
    ///
    /// - Complexity: O(log n) in the versions that are retained.
    public var version: Version {
        let instance = instance
        instance.checkConfinement()
        instance.ensureRead()
        let store = instance.store
        let pinned = store.pinDurable(below: instance.version)
        return Version(
            lineage: store.lineage, number: pinned.number,
            store.heldVersions.hold(pinned.version, of: store))
    }

    /// Returns the difference between a version and the one that this instance shows; see <doc:History>.
    ///
    /// If the version is retained in memory, the cost is that of the changes. Otherwise they are read from the file, in which they are
    /// until it is compacted: the commits from the last checkpoint before the version on are carried out once more, in memory of their
    /// own. In a write transaction, its changes are not included.
    ///
    /// - Parameter version: A version of this realm, of any instance and process. If this instance has not advanced to it yet, there are
    ///   no changes.
    /// - Throws: ``HistoryError`` if the changes are not known; ``Realm/Error`` if the file cannot be read.
    /// - Complexity: O(changes) if the version is retained, plus the number of retained versions after it.
    public func changes(since version: Version) throws -> ChangeSet {
        let instance = instance
        instance.checkConfinement()
        instance.ensureRead()
        let store = instance.store
        guard version.lineage == store.lineage else { throw HistoryError.otherData }
        let end = store.pinDurable(below: instance.version)
        defer { store.unpin(end.version) }
        if version.number >= end.number {
            try store.checkExistence(of: version.number)
            return ChangeSet()
        }
        if let start = store.pin(at: version.number) {
            defer { store.unpin(start.version) }
            return store.changeSet(from: start, to: end)
        }
        do {
            return try store.loggedChanges(since: version.number, until: end.number)
        } catch {
            throw store.publicError(error)
        }
    }

    /// Returns the realm at a version, frozen, or nil if the version is not retained in memory.
    ///
    /// A version is retained as long as a realm, an object, a collection or a ``Version`` value has it.
    ///
    /// - Complexity: O(n) in the retained versions after it.
    public func at(_ version: Version) -> Realm? {
        let store = instance.store
        guard version.lineage == store.lineage, let pinned = store.pin(at: version.number) else { return nil }
        defer { store.unpin(pinned.version) }
        return Realm(
            InstanceOwner(RealmInstance(store, instance.configuration, .none, frozenAt: pinned.version)))
    }
}

extension Store {
    /// Returns the difference between two versions of the log, as it says. What is older than the file may have been kept.
    fileprivate func loggedChanges(since version: UInt64, until end: UInt64) throws -> ChangeSet {
        do {
            let history = try LogHistory(of: log, after: version)
            try history.readOn(upTo: end) { _ in }
            return history.takeChangeSet(lineage: lineage)
        } catch LogHistory.Failure.removed(let oldest) {
            let kept = try KeptChanges(self, after: version, orThrow: oldest).composed(upTo: end)
            if kept.end >= end { return kept.changes }
            return kept.changes.followed(by: try loggedChanges(since: kept.end, until: end))
        }
    }

    /// Returns the difference between two pinned versions.
    func changeSet(from start: PlacedVersion, to end: PlacedVersion) -> ChangeSet {
        ChangeSetBuilder.changeSet(
            changes(from: start.version, to: end.version), from: start.snapshot, to: end.snapshot, catalog,
            lineage: lineage)
    }

    /// Throws if the log does not have a version.
    func checkExistence(of number: UInt64) throws(Realm.HistoryError) {
        if number <= newestNumber { return }
        // Another process may have committed it.
        lookElsewhere()
        let newest = newestNumber
        if number > newest { throw .missing(newest: Realm.Version(lineage: lineage, number: newest)) }
    }

    /// Returns the public error for an error of reading the history.
    func publicError(_ error: any Error) -> any Error {
        switch error {
        case let failure as LogHistory.Failure: historyError(failure)
        case is Realm.HistoryError: error
        default: Realm.Error.wrapping(error, configuration.fileURL)
        }
    }

    /// Returns the public error for a failure of the history.
    func historyError(_ failure: LogHistory.Failure) -> Realm.HistoryError {
        // A realm in memory has no history except what is retained.
        if log.place == nil {
            return .removed(oldest: Realm.Version(lineage: lineage, number: oldestVersion))
        }
        return Realm.HistoryError(failure, lineage)
    }
}
