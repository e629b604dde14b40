import Foundation
import KivoEngine
import KivoJournal

/// A reader of a realm's changes that has a name, and whose place is stored in the realm; see <doc:Consumers>.
///
///     let uploader = try realm.consumer("uploader")
///     for try await batch in uploader.batches {
///         try await send(batch.changes.encoded())
///         try batch.acknowledge()
///     }
///
/// The realm keeps what a consumer has not acknowledged, also when its file is compacted, until ``Realm/removeConsumer(_:)``. So no
/// change is missed, whatever ends the program: what was not acknowledged is delivered again.
///
/// A consumer keeps the realm's file open. Thread-safe.
public struct DurableConsumer: Sendable {
    /// The name.
    public let name: String
    let store: Store

    /// The changes that were not acknowledged, in batches of at most 100 commits, and those of each commit that follows.
    public var batches: Batches { batches(ofAtMost: 100) }

    /// The changes that were not acknowledged, in batches, and those of each commit that follows.
    ///
    /// Only one iteration over the batches of a consumer is active at a time, in all processes that have the file open: another one
    /// waits for its first batch until the active one has ended, or its process has. Processes do not wait for each other where the system
    /// has no locks for it (Windows and iOS, and logs other than files), nor in a read-only realm, where batches cannot be acknowledged.
    ///
    /// - Parameter commits: The number of commits that are composed at most; 1 for each commit by itself. What compaction has composed
    ///   stays one batch.
    public func batches(ofAtMost commits: Int) -> Batches { Batches(consumer: self, limit: max(1, commits)) }

    /// The version up to which the changes were acknowledged.
    ///
    /// - Throws: ``Realm/HistoryError/consumerRemoved(_:)``.
    /// - Complexity: O(consumers).
    public var version: Realm.Version {
        get throws { Realm.Version(lineage: store.lineage, number: try number) }
    }

    /// Returns the number of the version once all commits of other processes have been read, also the last one of a process that was
    /// killed.
    func settledNumber() throws -> UInt64 {
        store.settleForeignCommits()
        return try number
    }

    /// The number of the version in the newest version of the realm.
    var number: UInt64 {
        get throws {
            store.lookElsewhere()
            let newest = store.pinDurable()
            defer { store.unpin(newest.version) }
            return try store.consumer(name, in: newest.snapshot, store.catalog).number
        }
    }
}

extension Realm {
    /// Returns the consumer with a name, which is made and stored if there is none.
    ///
    /// In a write transaction a new consumer is part of it.
    ///
    /// - Parameters:
    ///   - name: A name, which is not empty.
    ///   - version: The version after which a new consumer begins; nil for the one that this instance shows. One that exists goes on
    ///     where it is.
    /// - Throws: ``HistoryError/otherData`` and ``HistoryError/missing(newest:)`` if the realm does not have the version; the errors of ``write(withoutNotifying:_:)``, also if the
    ///   realm is read-only and has no such consumer.
    /// - Precondition: The name is not empty.
    public func consumer(_ name: String, since version: Version? = nil) throws -> DurableConsumer {
        if name.isEmpty {
            trap("A consumer of changes has a name, by which it goes on after the next start.")
        }
        let start = version ?? self.version
        let store = instance.store
        if start.lineage != store.lineage { throw HistoryError.otherData }
        let consumer = DurableConsumer(name: name, store: store)
        if instance.transaction == nil, (try? consumer.number) != nil { return consumer }
        try store.checkExistence(of: start.number)
        var isNew = false
        try store.writeHere(in: instance) { transaction in
            // Another process may have made it.
            isNew = !StoredConsumer.all(
                in: transaction.snapshot, transaction.catalog, lineage: store.lineage
            ).contains { $0.isConsumer(name) }
            if !isNew { return }
            StoredConsumer(.consumer, name: name, number: start.number, lineage: store.lineage)
                .write(to: transaction)
        }
        if isNew { store.retainMemory(for: name, at: start.number) }
        return consumer
    }

    /// The consumers of the realm by name, with the versions up to which they have acknowledged the changes.
    ///
    /// - Complexity: O(consumers).
    public var consumerVersions: [String: Version] {
        instance.checkConfinement()
        instance.updateCatalog()
        let lineage = instance.store.lineage
        let known = StoredConsumer.all(in: instance.snapshot, instance.catalog, lineage: lineage)
            .filter { $0.kind == .consumer }
        return Dictionary(
            known.map { ($0.name, Version(lineage: lineage, number: $0.number)) }, uniquingKeysWith: { $1 })
    }

    /// Removes a consumer, so that nothing is kept for it any more. Does nothing if there is none. In a write transaction the removal is
    /// part of it.
    ///
    /// - Throws: The errors of ``write(withoutNotifying:_:)``.
    public func removeConsumer(_ name: String) throws {
        instance.checkConfinement()
        let store = instance.store
        let consumer = DurableConsumer(name: name, store: store)
        if instance.transaction == nil, (try? consumer.number) == nil { return }
        try store.writeHere(in: instance) { transaction in
            StoredConsumer(.consumer, name: name, number: 0, lineage: store.lineage).remove(from: transaction)
            HistoryRecorder.removeUnlessDemanded(from: transaction, lineage: store.lineage)
        }
        store.retainMemory(for: name, at: nil)
    }
}

extension StoredConsumer {
    /// Returns whether this is the consumer with a name.
    fileprivate func isConsumer(_ name: String) -> Bool { kind == .consumer && self.name == name }
}

extension Store {
    /// Returns a stored consumer.
    func consumer(
        _ name: String, in snapshot: Snapshot, _ catalog: Catalog
    ) throws(Realm.HistoryError) -> StoredConsumer {
        let consumers = StoredConsumer.all(in: snapshot, catalog, lineage: lineage)
        guard let found = consumers.first(where: { $0.isConsumer(name) })
        else { throw .consumerRemoved(name) }
        return found
    }

    /// Moves a consumer to a version, unless it has passed it.
    ///
    /// - Parameter delivered: What the consumer has read and not acknowledged.
    func acknowledge(_ name: String, upTo number: UInt64, _ delivered: DeliveredChanges) throws {
        try writeHere(in: nil) { transaction in
            var consumer = try consumer(name, in: transaction.snapshot, transaction.catalog)
            guard delivered.acknowledge(number, at: consumer.number) else {
                throw Realm.HistoryError.consumerMoved(name)
            }
            if consumer.number >= number { return }
            do {
                let (snapshot, catalog) = (transaction.snapshot, transaction.catalog)
                let stored = StoredChanges.all(in: snapshot, catalog, lineage: lineage)
                if let divided = try delivered.divide(
                    stored, at: number, after: consumer.number, in: snapshot, catalog)
                {
                    StoredChanges.replaceAll(with: divided, in: transaction, lineage: lineage)
                }
            } catch {
                throw publicError(error)
            }
            consumer.number = number
            consumer.write(to: transaction)
        }
        retainMemory(for: name, at: number)
    }

    /// Calls `body` with the write transaction that is open here, or with one of its own.
    ///
    /// - Parameter instance: The instance to write with; nil for the one that the running code may use, or a new one.
    fileprivate func writeHere(in instance: RealmInstance?, _ body: (WriteTransaction) throws -> Void) throws
    {
        if configuration.readOnly {
            throw Realm.Error(
                .fail, "A realm that is read-only takes no consumers, and none of their acknowledgements.",
                fileURL: configuration.fileURL)
        }
        let realm =
            instance.map { Realm($0) } ?? currentInstance().map { Realm($0) }
            ?? Realm(self, configuration, .of(nil), nil)
        func write() throws {
            let instance = realm.instance
            instance.adopt(try define { try StoredConsumer.defineTable(in: &$0) })
            try body(instance.requireTransaction("write a consumer"))
            instance.reader.pointee.mutations += 1
        }
        if realm.isInWriteTransaction { try write() } else { try realm.write(write) }
    }

    /// Retains the version up to which a consumer has read, if no file stores what follows, and releases those that all have passed.
    fileprivate func retainMemory(for name: String, at number: UInt64?) {
        guard log.place == nil else { return }
        let newest = pinDurable()
        defer { unpin(newest.version) }
        let stored = Dictionary(
            StoredConsumer.all(in: newest.snapshot, catalog).map { ($0.name, $0.number) },
            uniquingKeysWith: { $1 })
        var pinned: VersionPin?
        if let number, let version = pin(at: number) { pinned = heldVersions.hold(version.version, of: self) }
        let pin = pinned
        let before = memoryOfConsumers.withLock { memory -> [String: [UInt64: VersionPin]] in
            let before = memory
            if let number, let pin { memory[name, default: [:]][number] = pin }
            for (other, pins) in memory {
                // A transaction that may still be cancelled has neither moved the consumer nor made it yet.
                if let reached = stored[other] {
                    memory[other] = pins.filter { $0.key >= reached }
                } else if other == name, number == nil {
                    memory[other] = nil
                }
            }
            return before
        }
        // The last references to pins, which take another lock.
        withExtendedLifetime(before) {}
    }
}
