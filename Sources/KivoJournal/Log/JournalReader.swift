import KivoEngine

/// A reader of a file's commits in order, and later of the commits that were appended since. It does not change the file, and
/// other processes may write to the file meanwhile.
///
/// The contents of a file that was compacted are the state from which the reader begins. It ignores later checkpoints, because
/// they repeat what the commits contain. An incomplete record is taken for one that is being written; opening the file reports
/// whether it is damaged.
public struct JournalReader {
    /// A record that was read.
    public struct Record: Sendable {
        /// The contents of a record.
        public enum Kind: Sendable {
            /// The changes of a transaction.
            case commit
            /// The schema version from this record on.
            case schemaVersion(UInt64)
            /// A migration of classes and their objects; the schema version from this record on.
            case migration(schemaVersion: UInt64)
            /// All data at the time when the file was compacted, with its schema version.
            case beginning(schemaVersion: UInt64)

            /// A Boolean value that indicates whether the record contains new data: false only for a beginning.
            public var isData: Bool { if case .beginning = self { false } else { true } }
        }

        /// The number of the record, counted from 1.
        public var sequence: UInt64
        /// The contents of the record.
        public var kind: Kind
        /// The offset of the record in bytes.
        public var offset: Int
        /// The size of the record in bytes.
        public var size: Int
        /// The number of records with new data up to this one, including those in files that this one replaced.
        public var number: UInt64
    }

    private let device: any JournalDevice
    /// The position after the last record that was read; nil before the header is read.
    private var position: LogPosition?
    private var decoder = CommitDecoder()
    private var hasBegun = false

    /// Creates a reader at the start of a file.
    public init(_ device: any JournalDevice) { self.device = device }

    /// The offset of the next record.
    public var offset: Int { position?.end ?? FileHeader.size }

    /// Reads the available records, and calls `body` after each one with new data or a beginning.
    ///
    /// A store that is restored from a checkpoint loads its nodes from the device. It removes the file's number from
    /// ``PageFiles`` when it is discarded.
    ///
    /// - Throws: ``JournalError`` if the file is not a journal, or a record is invalid; any error of `body`. The store must then
    ///   be discarded.
    public mutating func readOn<Store: CommitReplayer>(
        into store: inout Store, _ body: (inout Store, Record) throws -> Void
    ) throws {
        let size = try device.size()
        // A file that is being created has no header yet.
        if position == nil, try Journal.isUnused(device, size: size) { return }
        var records = RecordCursor(
            device, from: try position ?? LogPosition(beginningOf: HeaderPages(device, size: size).header),
            size: size, capacity: FileWindow.usualCapacity)
        while let record = try records.next() {
            let kind = try replay(record, &records.position, &store)
            position = records.position
            if let kind {
                let read = Record(
                    sequence: record.header.sequence, kind: kind, offset: record.start,
                    size: record.header.recordSize, number: records.position.version)
                try body(&store, read)
            }
        }
        position = records.position
    }

    /// Applies a record to the store; returns nil for pages and for later checkpoints.
    ///
    /// - Parameter position: The position after the record. Restoring a checkpoint adds the commits that it includes.
    private mutating func replay(
        _ record: JournalRecord, _ position: inout LogPosition, _ store: inout some CommitReplayer
    ) throws -> Record.Kind? {
        switch record.kind {
        case .commit:
            hasBegun = true
            try decoder.replay(record.payload, into: &store)
            return .commit
        case .schemaVersion:
            return .schemaVersion(try SchemaVersionPayload.decode(record.payload))
        case .migration:
            hasBegun = true
            return .migration(schemaVersion: try decoder.migrate(record.payload, into: &store))
        case .pages: return nil
        case .checkpoint:
            if hasBegun { return nil }
            hasBegun = true
            return .beginning(schemaVersion: try restore(record, &position, &store))
        default:
            throw JournalError.corrupt(
                offset: record.start,
                reason: "record \(record.header.sequence) is of the unknown kind \(record.kind.rawValue)")
        }
    }

    private mutating func restore(
        _ record: JournalRecord, _ position: inout LogPosition, _ store: inout some CommitReplayer
    ) throws -> UInt64 {
        let checkpoint = try CheckpointRecord(record.payload)
        position.version = checkpoint.commits
        do {
            let catalog = try Catalog(restoring: checkpoint.tables)
            let pages = JournalPages.make(device, journal: position.journal, store.heap, catalog)
            decoder = CommitDecoder(restoring: checkpoint.numbers, catalog)
            try store.restore(checkpoint.roots, of: pages.number, catalog)
        } catch let flaw as PageFlaw {
            throw JournalError.corrupt(
                offset: record.start, reason: "the checkpoint makes no sense: \(flaw)")
        }
        return checkpoint.schemaVersion
    }
}

extension JournalReader {
    /// Returns the format version of a file.
    ///
    /// - Throws: ``JournalError`` if the file is not a journal, or its version is not supported.
    public static func formatVersion(of device: any JournalDevice) throws(JournalError) -> Int {
        let size = try device.size()
        var window = FileWindow(device, size: size)
        return Int(try FileHeader(try window.bytes(at: 0, count: FileHeader.largestSize)).version)
    }
}
