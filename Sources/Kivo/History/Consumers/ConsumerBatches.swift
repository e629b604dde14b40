import Foundation
import KivoEngine
import KivoJournal

extension DurableConsumer {
    /// Some changes that a consumer has not acknowledged.
    public struct Batch: Sendable {
        /// The difference between the version before the batch and the one after it.
        public let changes: ChangeSet
        /// The version that the changes lead to.
        public let version: Realm.Version
        /// The number of commits that are composed; 0 in memory, where they are not counted. Those without changes of objects do not
        /// count.
        public let commitCount: Int
        /// The time of the last commit, by the clock of its writer; nil if it is not known.
        public let date: Date?
        /// The labels of the commits: see ``Realm/write(label:author:withoutNotifying:_:)``. Nil if they have none, or if compaction
        /// composed commits of different labels.
        public let label: String?
        /// The author of the commits. Nil if they have none, or if compaction composed commits of different authors. A batch ends
        /// where the author changes.
        public let author: String?
        /// A Boolean value that indicates whether the classes were migrated after the batch before. The changes that the migration
        /// itself made are in no batch.
        public let followsMigration: Bool
        fileprivate let consumer: DurableConsumer
        fileprivate let delivered: DeliveredChanges

        /// Stores in the realm that the consumer has dealt with this batch, and with all before it. They are not delivered again.
        ///
        /// If a write transaction of the realm is open on this thread, queue or actor, this is part of it: what the transaction changes
        /// because of the batch is then done exactly once. Otherwise this is a write of its own. It can be called on any thread. Until
        /// then the changes stay in memory, also those of batches that the program has released.
        ///
        /// - Throws: ``Realm/HistoryError/consumerRemoved(_:)``; ``Realm/HistoryError/consumerMoved(_:)`` if another iteration has
        ///   acknowledged changes since this one began; ``Realm/HistoryError/removed(oldest:)`` if compaction has composed the changes
        ///   since, and the batch is of an iteration that has ended; the errors of ``Realm/write(withoutNotifying:_:)``. Nothing is stored then, and
        ///   a transaction in which it throws should be cancelled.
        public func acknowledge() throws {
            try consumer.store.acknowledge(consumer.name, upTo: version.number, delivered)
        }
    }

    /// The batches of a consumer: see ``DurableConsumer/batches(ofAtMost:)``.
    public struct Batches: AsyncSequence, Sendable {
        /// Some changes.
        public typealias Element = Batch
        /// Reading the past of a file can fail.
        public typealias Failure = any Error

        let consumer: DurableConsumer
        let limit: Int

        /// Begins an iteration with what was not acknowledged.
        public func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

        /// One iteration over batches.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let batches: Batches
            private var lease: ConsumerLease?
            private var reader: PastReader?
            private let delivered = DeliveredChanges()
            private var hasEnded = false

            fileprivate init(batches: Batches) { self.batches = batches }

            /// Returns the next batch as soon as there is one; nil if the task is cancelled. The batch before need not be acknowledged.
            ///
            /// - Throws: ``Realm/HistoryError`` if the changes are not known, or the consumer was removed; ``Realm/Error`` if the file
            ///   cannot be read. The iteration has ended then.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws -> Batch? {
                if hasEnded { return nil }
                do {
                    if let batch = try await read(actor) { return batch }
                } catch {
                    end()
                    throw error
                }
                end()
                return nil
            }

            private mutating func read(_ actor: isolated (any Actor)?) async throws -> Batch? {
                let consumer = batches.consumer
                if lease == nil { lease = await ConsumerLease.take(consumer.name, consumer.store, actor) }
                if lease == nil { return nil }
                if reader == nil {
                    let start = try consumer.settledNumber()
                    delivered.begin(after: start)
                    reader = PastReader(
                        consumer.store, after: start, .authors(atMost: batches.limit)
                    ) { [delivered] stored, version, snapshot, catalog in
                        let known = try consumer.store.consumer(consumer.name, in: snapshot, catalog)
                        return try delivered.divide(
                            stored, at: version, after: known.number, in: snapshot, catalog)
                    }
                }
                return try await reader?.next(actor).map { piece in
                    delivered.forget(upTo: try consumer.number)
                    delivered.add(piece)
                    return Batch(
                        changes: piece.changes,
                        version: Realm.Version(lineage: consumer.store.lineage, number: piece.end),
                        commitCount: piece.count, date: piece.date, label: piece.label.label,
                        author: piece.label.author, followsMigration: piece.isAfterMigration,
                        consumer: consumer,
                        delivered: delivered)
                }
            }

            private mutating func end() { (lease, reader, hasEnded) = (nil, nil, true) }
        }
    }
}

@available(*, unavailable)
extension DurableConsumer.Batches.Iterator: Sendable {}
