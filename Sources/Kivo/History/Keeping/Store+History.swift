import KivoEngine
import KivoJournal

extension Store {
    /// Stores the demanded past in the realm, so that its file can be compacted without a loss.
    ///
    /// Most of the past is composed before the write lock is taken.
    ///
    /// - Throws: An error of the log. Nothing is changed then.
    func recordHistory() throws -> RecordedHistory {
        let first = pinDurable()
        defer { unpin(first.version) }
        let begun = StoredChanges.all(in: first.snapshot, catalog, lineage: lineage)
        let preparing = HistoryRecorder(log, first.snapshot, catalog, upTo: first.number)
        let prepared = try preparing.changes(after: begun, in: first.snapshot, catalog)
        return try writingInternally { head in
            let current = StoredChanges.all(in: head.snapshot, catalog, lineage: lineage)
            let recorder = HistoryRecorder(log, head.snapshot, catalog, upTo: head.number)
            // Another process may have compacted the file meanwhile.
            let usable =
                current.map(\.end) == begun.map(\.end)
                ? recorder.usable(prepared, of: preparing, known: current) : nil
            let changes = recorder.ending(
                try recorder.changes(
                    after: usable?.changes ?? current, from: usable?.end, in: head.snapshot, catalog))
            let catalog = try define { try StoredChanges.defineTable(in: &$0) }
            let (version, snapshot) = try commitInternally(on: head, catalog) { transaction in
                StoredChanges.replaceAll(with: changes, in: transaction, lineage: lineage)
            }
            return RecordedHistory(
                checkpoint: log.beginCheckpoint(isClosing: false), version: version, snapshot: snapshot,
                catalog: catalog)
        }
    }

    /// A version that contains what is demanded of the past.
    struct RecordedHistory {
        /// A checkpoint of the version; nil if none is due.
        let checkpoint: StoreLog.Checkpoint?
        /// The version, which the caller unpins.
        let version: UInt64
        let snapshot: Snapshot
        let catalog: Catalog
    }

    /// Calls `body` with the newest version, pinned, while only this thread writes. The body commits a version on top of it, which unpins
    /// it, or throws.
    private func writingInternally<Result>(_ body: (PlacedVersion) throws -> Result) throws -> Result {
        // Work in the background, and the opening of a file, wait for no long write.
        guard writer.lock(Writer(isFollower: false), timeout: 2) else {
            throw JournalError.timedOut(holder: nil)
        }
        defer { endWriting() }
        try beginExclusive()
        guard newestUnlogged == nil else { throw JournalError.timedOut(holder: nil) }
        let head = pinDurable()
        do {
            let result = try body(head)
            notifyInstances(except: nil)
            return result
        } catch {
            unpin(head.version)
            throw error
        }
    }

    /// Stores which part of the past is kept, unless the realm says so already. Only files keep any.
    func setHistory(_ history: Realm.Configuration.History) throws {
        guard log.isFile else { return }
        let lineage = lineage
        func current(_ snapshot: Snapshot) -> [StoredConsumer] {
            StoredConsumer.all(in: snapshot, catalog).filter { $0.kind != .consumer }
        }
        let wanted =
            history.demand.map { [StoredConsumer($0.kind, number: $0.number, lineage: lineage)] } ?? []
        let first = pinDurable()
        defer { unpin(first.version) }
        if current(first.snapshot) == wanted { return }

        try writingInternally { head in
            let former = current(head.snapshot)
            let catalog = try define { try StoredConsumer.defineTable(in: &$0) }
            let (version, _) = try commitInternally(on: head, catalog) { transaction in
                for demand in former { demand.remove(from: transaction) }
                for demand in wanted { demand.write(to: transaction) }
                HistoryRecorder.removeUnlessDemanded(from: transaction, lineage: lineage)
            }
            unpin(version)
        }
    }

    /// Commits changes of rows of Kivo itself. Pins the new version, and unpins the one that it is built on.
    ///
    /// - Precondition: The caller holds the write lock, and all commits are durable.
    func commitInternally(
        on base: PlacedVersion, _ catalog: Catalog, _ body: (WriteTransaction) -> Void
    ) throws -> (version: UInt64, snapshot: Snapshot) {
        try ReaderState.withTemporary { reader in
            let transaction = makeTransaction(base.snapshot, catalog, reader: reader)
            body(transaction)
            do {
                return try publish(
                    transaction, transaction.changeSet(), base: base.version, label: CommitLabel())
            } catch {
                cancel(transaction)
                throw error
            }
        }
    }
}

extension Realm.Configuration.History {
    /// The setting that the realm stores; nil for the one that holds if it stores none.
    fileprivate var demand: (kind: StoredConsumer.Kind, number: UInt64)? {
        switch self {
        case .nothing: (.nothing, 0)
        case .forConsumers: nil
        case .commits(let count): (.commits, UInt64(clamping: count))
        case .days(let count): (.days, UInt64(clamping: count))
        }
    }
}
