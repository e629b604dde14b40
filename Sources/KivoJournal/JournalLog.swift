import KivoEngine
import Synchronization

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
    /// The version of the program's classes, and the file's.
    private let schemaVersion: UInt64
    private let storedVersion = Atomic<UInt64>(0)

    static let commitRecord: UInt8 = 1
    /// A record of 8 bytes: the version of the classes from here on.
    static let schemaVersionRecord: UInt8 = 2

    /// A log on a device, which is read when the log is replayed.
    ///
    /// - Parameter schemaVersion: The version of the classes that the program has.
    public init(_ device: any JournalDevice, readOnly: Bool, schemaVersion: UInt64 = 0) {
        state = Lock(.closed(device))
        self.readOnly = readOnly
        self.schemaVersion = schemaVersion
    }

    /// Reads the file, commit by commit. Throws, and the file is as it was, if it is damaged, of another format, or written
    /// by a program with a higher schema version.
    public func replay(into store: inout some CommitReplayer) throws {
        guard case .closed(let device) = state.withLock({ $0 }) else { return }
        var decoder = CommitDecoder()
        var mismatch: SchemaMismatch?
        let journal = try Journal.open(device, readOnly: readOnly) { kind, payload in
            switch kind {
            case JournalLog.commitRecord:
                if mismatch != nil { return }
                do {
                    try decoder.replay(payload, into: &store)
                } catch let error as SchemaMismatch {
                    // That the file is of a later version says more, and a later record may say so.
                    mismatch = error
                }
            case JournalLog.schemaVersionRecord:
                storedVersion.store(try JournalLog.version(payload), ordering: .relaxed)
            default: throw JournalError.senseless("it is of the unknown kind \(kind)")
            }
        } checking: {
            let stored = storedVersion.load(ordering: .relaxed)
            if schemaVersion < stored { throw SchemaVersionError(stored: stored, given: schemaVersion) }
            if let mismatch { throw mismatch }
        }
        let numbers = decoder.numbers
        state.withLock { $0 = .open(journal, numbers: numbers) }
    }

    static func version(_ payload: UnsafeRawBufferPointer) throws(JournalError) -> UInt64 {
        guard payload.count == 8 else { throw .senseless("a schema version is no number") }
        return payload.number(at: 0)
    }

    /// The version of the classes that the file has, 0 if it says none. Known once the log was replayed.
    public var storedSchemaVersion: UInt64 { storedVersion.load(ordering: .relaxed) }

    /// What was put right when the file was opened, or nil.
    public var recovery: JournalRecovery? {
        guard case .open(let journal, _) = state.withLock({ $0 }) else { return nil }
        return journal.recovery
    }

    /// Writes the version of the program's classes into the file, if that has a lower one and is not read only. Called
    /// when all is read and the classes are known to fit.
    public func recordSchemaVersion() throws {
        guard !readOnly, schemaVersion > storedVersion.load(ordering: .relaxed),
            case .open(let journal, _) = state.withLock({ $0 })
        else { return }
        try withUnsafeBytes(of: schemaVersion.littleEndian) {
            try journal.append(kind: JournalLog.schemaVersionRecord, $0)
        }
        storedVersion.store(schemaVersion, ordering: .relaxed)
    }

    /// Whether the file is still where it was opened, so that whoever opens it finds what is written here.
    public var isInPlace: Bool {
        guard case .open(let journal, _) = state.withLock({ $0 }) else { return true }
        do {
            try journal.checkPlace()
            return true
        } catch {
            return error != .displaced
        }
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
            throw JournalError.senseless("the journal was not opened")
        }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: numbers)
        let payload = encoder.encode(changes)
        try payload.withUnsafeBytes { try journal.append(kind: JournalLog.commitRecord, $0) }
        let known = encoder.numbers
        state.withLock { $0 = .open(journal, numbers: known) }
    }
}
