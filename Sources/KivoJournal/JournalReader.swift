import KivoEngine

/// Reads the commits of a file in order, and later those that came behind. The file is not changed, and others may write to
/// it meanwhile.
///
/// What a file has that was written anew as a whole is the state from which it begins; later checkpoints say nothing that
/// commits do not say. What does not make a complete record is taken for one that is being written: whether a file is damaged,
/// opening it says.
public struct JournalReader {
    /// A record that was read.
    public struct Record: Sendable {
        /// What a record says.
        public enum Kind: Sendable {
            /// What a transaction did.
            case commit
            /// The version of the classes from here on.
            case schemaVersion(UInt64)
            /// Classes became others, with what they had; the version of the classes from here on.
            case migration(schemaVersion: UInt64)
            /// All that there was, with the version of the classes, when the file was written anew.
            case beginning(schemaVersion: UInt64)

            /// Whether the record says what no other says: all but a beginning.
            public var isData: Bool { if case .beginning = self { false } else { true } }
        }

        /// The number of the record, counted from 1.
        public var sequence: UInt64
        /// What it says.
        public var kind: Kind
        /// Where it begins.
        public var offset: Int
        /// How many bytes it takes.
        public var size: Int
        /// How many records up to it say what no other says, also in the files that this one took the place of.
        public var number: UInt64
    }

    private let device: any JournalDevice
    private var journal: UInt64?
    /// Where the next record begins.
    public private(set) var offset = FileHeader.size
    private var sequence: UInt64 = 0
    private var decoder = CommitDecoder()
    private var hasBegun = false
    private var number: UInt64 = 0

    /// A reader at the start of a file.
    public init(_ device: any JournalDevice) { self.device = device }

    /// Reads the records that are there, and calls `body` after each that says something.
    ///
    /// A store that is given a checkpoint brings its nodes in from the device, and has the file's number removed from ``PageFiles``
    /// when it goes.
    ///
    /// - Throws: ``JournalError`` if the file is no journal, or a record makes no sense; what `body` throws. The store has to be
    ///   discarded then.
    public mutating func readOn<Store: CommitReplayer>(
        into store: inout Store, _ body: (inout Store, Record) throws -> Void
    ) throws {
        let size = try device.size()
        var window = FileWindow(device, size: size)
        if journal == nil {
            // A file that is being made has no header yet.
            if try Journal.isUnused(device, size: size) { return }
            let header = try HeaderPages(device, size: size).header
            (journal, offset) = (header.id, header.recordsOffset)
        }
        while let record = try window.record(at: offset, journal: journal!),
            record.header.sequence == sequence + 1
        {
            let kind = try replay(record.header, record.payload, &store)
            let read = kind.map {
                Record(
                    sequence: record.header.sequence, kind: $0, offset: offset,
                    size: record.header.recordSize,
                    number: number)
            }
            offset += record.header.recordSize
            sequence = record.header.sequence
            if let read { try body(&store, read) }
        }
    }

    /// Carries a record out; nil if it says nothing.
    private mutating func replay(
        _ header: RecordHeader, _ payload: UnsafeRawBufferPointer, _ store: inout some CommitReplayer
    ) throws -> Record.Kind? {
        if RecordKind(rawValue: header.kind).isData { number += 1 }
        switch RecordKind(rawValue: header.kind) {
        case .commit:
            hasBegun = true
            try decoder.replay(payload, into: &store)
            return .commit
        case .schemaVersion:
            return .schemaVersion(try SchemaVersionPayload.decode(payload))
        case .migration:
            hasBegun = true
            return .migration(schemaVersion: try decoder.migrate(payload, into: &store))
        case .pages: return nil
        case .checkpoint:
            if hasBegun { return nil }
            hasBegun = true
            return .beginning(schemaVersion: try restore(payload, &store))
        default:
            throw JournalError.corrupt(
                offset: offset, reason: "record \(header.sequence) is of the unknown kind \(header.kind)")
        }
    }

    private mutating func restore(
        _ payload: UnsafeRawBufferPointer, _ store: inout some CommitReplayer
    ) throws -> UInt64 {
        let checkpoint = try CheckpointRecord(payload)
        number = checkpoint.commits
        do {
            let catalog = try Catalog(restoring: checkpoint.tables)
            let pages = JournalPages.make(device, journal: journal!, store.heap, catalog)
            decoder = CommitDecoder(restoring: checkpoint.numbers, catalog)
            try store.restore(checkpoint.roots, of: pages.number, catalog)
        } catch let flaw as PageFlaw {
            throw JournalError.corrupt(offset: offset, reason: "the checkpoint makes no sense: \(flaw)")
        }
        return checkpoint.schemaVersion
    }
}

extension JournalReader {
    /// The format version of a file. Throws if it is no journal, or of a version that is not read.
    public static func formatVersion(of device: any JournalDevice) throws(JournalError) -> Int {
        let size = try device.size()
        var window = FileWindow(device, size: size)
        return Int(try FileHeader(try window.bytes(at: 0, count: FileHeader.largestSize)).version)
    }
}
