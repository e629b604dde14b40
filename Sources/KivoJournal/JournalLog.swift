import KivoEngine

/// The commit log of a file: one record a commit, flushed before it counts.
///
/// Thread-safe.
public final class JournalLog: CommitLog {
    private enum State: Sendable {
        case closed(any JournalDevice)
        case open(Journal, numbers: [TableID: Int])
    }

    private let state: Lock<State>
    private let readOnly: Bool

    static let commitRecord: UInt8 = 1

    /// A log on a device, which is read when the log is replayed.
    public init(_ device: any JournalDevice, readOnly: Bool) {
        state = Lock(.closed(device))
        self.readOnly = readOnly
    }

    /// Reads the file, commit by commit. Throws, and the file is as it was, if it is damaged or of another format.
    public func replay(into store: inout some CommitReplayer) throws {
        guard case .closed(let device) = state.withLock({ $0 }) else { return }
        var decoder = CommitDecoder()
        let journal = try Journal.open(device, readOnly: readOnly) { kind, payload in
            // Kinds that a later version adds may be skipped only if they say so; none are known yet.
            guard kind == JournalLog.commitRecord else {
                throw JournalError.corrupt(offset: 0, reason: "a record is of the unknown kind \(kind)")
            }
            try decoder.replay(payload, into: &store)
        }
        let numbers = decoder.numbers
        state.withLock { $0 = .open(journal, numbers: numbers) }
    }

    /// Closes the file. Nothing can be appended afterwards.
    public func close() {
        state.withLock { state in
            switch state {
            case .open(let journal, _): journal.close()
            case .closed(let device): device.close()
            }
        }
    }

    /// Writes one record for a transaction that changed something, and returns when it is durable.
    public func append(_ transaction: WriteTransaction, _ changes: ChangeSet, expected: UInt64) throws {
        if changes.isEmpty { return }
        guard case .open(let journal, let numbers) = state.withLock({ $0 }) else {
            throw JournalError.corrupt(offset: 0, reason: "the journal was not opened")
        }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: numbers)
        let payload = encoder.encode(changes)
        try payload.withUnsafeBytes { try journal.append(kind: JournalLog.commitRecord, $0) }
        let known = encoder.numbers
        state.withLock { $0 = .open(journal, numbers: known) }
    }
}
