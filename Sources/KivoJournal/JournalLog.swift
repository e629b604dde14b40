import KivoEngine
import Synchronization

/// The commit log of a file: one record a commit, flushed before it counts.
///
/// Thread-safe.
public final class JournalLog: CommitLog {
    private enum State: Sendable {
        case closed(any JournalDevice)
        case open(Contents)
    }

    /// An open journal.
    struct Contents: Sendable {
        let journal: Journal
        /// The file, and its identity. Others if another process has compacted it.
        var device: any JournalDevice
        var journalID: UInt64
        /// The identity of the first file of these data.
        let lineage: UInt64
        /// How other processes are kept apart; nil if there can be none.
        let sharing: (any JournalSharing)?
        /// The numbers that the store's tables have in the file.
        var numbers: TableNumbers
        /// What the nodes of the store are made in.
        let heap: Heap
        /// The pages that a checkpoint refers to; nil if there is none yet.
        var pages: JournalPages?
        /// The pages of files that other processes have compacted since.
        var earlier: [JournalPages] = []
        /// The files that nodes may refer to.
        var files: [Int] = []
        /// What the size of the file is compared with.
        var base = CheckpointBase()
    }

    private let state: Lock<State>
    private let readOnly: Bool
    let policy: CheckpointPolicy
    /// Whether all of the file is verified before it is read.
    private let verifies: Bool
    /// The version of the program's classes, and the file's.
    private let schemaVersion: UInt64
    private let storedVersion = Atomic<UInt64>(0)
    private let hasRecords = Atomic<Bool>(false)
    /// How many bytes of commits a program that opens the file now would have to carry out.
    let tailBytes = Atomic<Int>(0)

    /// Held by who goes over to another file, and by who reads what others have written.
    let switching = Lock(())
    /// How far the store is.
    let replayed = Lock(LogPosition())

    /// A log on a device, which is read when the log is replayed.
    ///
    /// - Parameters:
    ///   - schemaVersion: The version of the classes that the program has.
    ///   - policy: When checkpoints are made.
    ///   - verifies: Whether all of the file is verified before it is read.
    public init(
        _ device: any JournalDevice, readOnly: Bool, schemaVersion: UInt64 = 0,
        policy: CheckpointPolicy = CheckpointPolicy(), verifies: Bool = false
    ) {
        self.policy = policy
        self.verifies = verifies
        state = Lock(.closed(device))
        self.readOnly = readOnly
        self.schemaVersion = schemaVersion
    }

    deinit {
        if case .open(let contents) = state.withLock({ $0 }) {
            for file in contents.files { PageFiles.remove(file) }
        }
    }

    /// Reads the newest checkpoint of the file, and the commits after it one by one. Throws, and the file is as it was, if it is
    /// damaged, of another format, or written by a program with a higher schema version.
    public func replay(into store: inout some CommitReplayer) throws {
        guard case .closed(let device) = state.withLock({ $0 }) else { return }
        if verifies { try JournalVerification.verify(device).check() }
        var decoder = CommitDecoder()
        var mismatch: SchemaMismatch?
        var (pages, base, tail): (JournalPages?, CheckpointBase, Int) = (
            nil, CheckpointBase(), FileHeader.size
        )
        var (lineage, commits): (UInt64?, UInt64) = (nil, 0)
        // What a process is writing at the moment looks like damage. Who only reads does not wait for it, but stops before it.
        if !readOnly { try device.sharing?.lock() }
        defer { if !readOnly { device.sharing?.unlock() } }
        try device.checkPlace()
        do {
            let journal = try Journal.open(
                device, readOnly: readOnly, upTo: readOnly ? publishedEnd(of: device) : nil
            ) { checkpoint, journal in
                let catalog = try Catalog(restoring: checkpoint.tables)
                pages = JournalPages.make(device, journal: journal, store.heap, catalog)
                (base, tail) = (checkpoint.base, checkpoint.tail.offset)
                (lineage, commits) = (checkpoint.lineage, checkpoint.commits)
                storedVersion.store(checkpoint.schemaVersion, ordering: .relaxed)
                hasRecords.store(true, ordering: .relaxed)
                decoder = CommitDecoder(restoring: checkpoint.numbers, catalog)
                do {
                    try store.restore(checkpoint.roots, of: pages!.number, catalog)
                } catch let error as SchemaMismatch {
                    mismatch = error
                }
            } replaying: { kind, payload in
                hasRecords.store(true, ordering: .relaxed)
                switch RecordKind(rawValue: kind) {
                case .commit:
                    commits += 1
                    if mismatch != nil { return }
                    do {
                        try decoder.replay(payload, into: &store)
                    } catch let error as SchemaMismatch {
                        // That the file is of a later version says more, and a later record may say so.
                        mismatch = error
                    }
                case .schemaVersion:
                    commits += 1
                    storedVersion.store(try JournalLog.version(payload), ordering: .relaxed)
                case .migration:
                    commits += 1
                    storedVersion.store(try decoder.migrate(payload, into: &store), ordering: .relaxed)
                // Of a checkpoint that was not finished, or of one that is older than what the store began with.
                case .pages, .checkpoint: break
                default: throw JournalError.senseless("it is of the unknown kind \(kind)")
                }
            } checking: {
                let stored = storedVersion.load(ordering: .relaxed)
                if schemaVersion < stored { throw SchemaVersionError(stored: stored, given: schemaVersion) }
                if let mismatch { throw mismatch }
            }
            let position = journal.position
            tailBytes.store(position.end - tail, ordering: .relaxed)
            let reached = LogPosition(
                end: position.end, sequence: position.sequence, dataSequence: position.dataSequence,
                commits: commits, journal: position.journal)
            replayed.withLock { $0 = reached }
            let id = journal.id
            let contents = Contents(
                journal: journal, device: device, journalID: id, lineage: lineage ?? id,
                sharing: device.sharing,
                numbers: decoder.numbers, heap: store.heap, pages: pages,
                files: pages.map { [$0.number] } ?? [], base: base)
            state.withLock { $0 = .open(contents) }
            // A process that was killed may not have come to say where the file ends.
            if !readOnly, let end = device.sharing?.published(),
                end.journal != id || end.sequence != position.sequence
            {
                publish(contents)
            }
        } catch {
            store.discard()
            if let pages { PageFiles.remove(pages.number) }
            throw error
        }
    }

    /// Where a file ends for who keeps nobody from writing; nil if nobody says so.
    func publishedEnd(of device: any JournalDevice) throws -> Int? {
        guard let end = device.sharing?.published() else { return nil }
        var journal: UInt64 = 0
        try withUnsafeMutableBytes(of: &journal) { _ = try device.read(into: $0, at: 16) }
        return UInt64(littleEndian: journal) == end.journal ? end.end : nil
    }

    static func version(_ payload: UnsafeRawBufferPointer) throws(JournalError) -> UInt64 {
        guard payload.count == 8 else { throw .senseless("a schema version is no number") }
        return payload.number(at: 0)
    }

    /// The version of the classes that the file has, 0 if it says none. Known once the log was replayed.
    public var storedSchemaVersion: UInt64 { storedVersion.load(ordering: .relaxed) }

    /// What was put right when the file was opened, or nil.
    public var recovery: JournalRecovery? {
        contents?.journal.recovery
    }

    /// The version of the classes that a file has; 0 if it does not say. O(bytes since the last checkpoint).
    public static func schemaVersion(of device: any JournalDevice) throws -> UInt64 {
        var version: UInt64 = 0
        _ = try Journal.open(device, readOnly: true) { checkpoint, _ in
            version = checkpoint.schemaVersion
        } replaying: { kind, payload in
            switch RecordKind(rawValue: kind) {
            case .schemaVersion: version = try JournalLog.version(payload)
            case .migration where payload.count >= 8: version = payload.number(at: 0)
            case .commit, .pages, .checkpoint: break
            default: throw JournalError.senseless("it is of the unknown kind \(kind)")
            }
        }
        return version
    }

    /// The version of the classes that the file has; nil if nothing was ever written to it. Known once the log was replayed.
    public var schemaVersionOfFile: UInt64? {
        hasRecords.load(ordering: .relaxed) ? storedVersion.load(ordering: .relaxed) : nil
    }

    /// Writes a migration to the program's version of the classes as one record, and returns when it is durable.
    public func append(_ steps: [MigrationStep]) throws {
        guard let contents else { throw JournalError.senseless("the journal was not opened") }
        var encoder = MigrationEncoder(numbers: contents.numbers)
        let payload = encoder.encode(steps, schemaVersion: schemaVersion)
        try payload.withUnsafeBytes { try contents.journal.append(kind: RecordKind.migration.rawValue, $0) }
        tailBytes.add(payload.count + RecordHeader.size + 8, ordering: .relaxed)
        let known = encoder.numbers
        update { $0.numbers = known }
        storedVersion.store(schemaVersion, ordering: .relaxed)
        noteAppend()
    }

    /// Writes the version of the program's classes into the file, if that has a lower one and is not read only. Called
    /// when all is read and the classes are known to fit.
    public func recordSchemaVersion() throws {
        guard !readOnly, schemaVersion > storedVersion.load(ordering: .relaxed),
            let journal = contents?.journal
        else { return }
        try contents?.sharing?.lock()
        defer { contents?.sharing?.unlock() }
        let hasForeign = try journal.write { writer throws(JournalError) in
            let before = writer.sequence
            try writer.advance(contents?.sharing)
            return writer.sequence != before
        }
        try withUnsafeBytes(of: schemaVersion.littleEndian) {
            try journal.append(kind: RecordKind.schemaVersion.rawValue, $0)
        }
        storedVersion.store(schemaVersion, ordering: .relaxed)
        // What others wrote meanwhile is read by the first write, and this as well.
        if hasForeign, let contents { publish(contents) } else { noteAppend() }
    }

    /// Notes that the record which was written last is known to the store, and tells other processes of it.
    private func noteAppend() {
        guard let contents else { return }
        let position = contents.journal.position
        replayed.withLock {
            $0 = LogPosition(
                end: position.end, sequence: position.sequence, dataSequence: position.dataSequence,
                commits: $0.commits + 1, journal: position.journal)
        }
        publish(contents)
    }

    /// Notes the version of classes that another process recorded.
    func note(version: UInt64) { storedVersion.store(version, ordering: .relaxed) }

    /// What is open; nil before the file is read.
    var contents: Contents? {
        state.withLock { state in if case .open(let contents) = state { contents } else { nil } }
    }

    /// Changes what is open. Only numbers are given while others append, and pages only by who makes a checkpoint.
    func update(_ body: (inout Contents) -> Void) {
        state.withLock { state in
            guard case .open(var contents) = state else { return }
            body(&contents)
            state = .open(contents)
        }
    }

    /// The version of the classes that the file says.
    var recordedVersion: UInt64 { storedVersion.load(ordering: .relaxed) }

    /// Whether the file is still where it was opened, so that whoever opens it finds what is written here.
    public var isInPlace: Bool {
        guard let journal = contents?.journal else { return true }
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
            case .open(let contents):
                contents.sharing?.close()
                contents.journal.close()
            case .closed(let device):
                device.sharing?.close()
                device.close()
            }
        }
    }

    /// Writes one record for a transaction that changed something, and returns when it is durable.
    public func append(_ transaction: WriteTransaction, _ changes: ChangeSet, expected: UInt64) throws {
        if changes.isEmpty { return }
        guard let contents else { throw JournalError.senseless("the journal was not opened") }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: contents.numbers)
        let payload = encoder.encode(changes)
        try payload.withUnsafeBytes { try contents.journal.append(kind: RecordKind.commit.rawValue, $0) }
        noteAppend()
        tailBytes.add(payload.count + RecordHeader.size + 8, ordering: .relaxed)
        if encoder.numbers.next > contents.numbers.next {
            let known = encoder.numbers
            update { $0.numbers = known }
        }
    }
}
