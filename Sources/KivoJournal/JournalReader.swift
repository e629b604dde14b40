import KivoEngine

/// Reads the commits of a file in order, and later those that came behind. The file is not changed, and others may write to
/// it meanwhile.
///
/// What does not make a complete record is taken for one that is being written: whether a file is damaged, opening it
/// says.
public struct JournalReader {
    /// A record that was read.
    public struct Record: Sendable {
        /// What a record says.
        public enum Kind: Sendable {
            /// What a transaction did.
            case commit
            /// The version of the classes from here on.
            case schemaVersion(UInt64)
        }

        /// The number of the record, counted from 1.
        public var sequence: UInt64
        /// What it says.
        public var kind: Kind
        /// Where it begins.
        public var offset: Int
        /// How many bytes it takes.
        public var size: Int
    }

    private let device: any JournalDevice
    private var journal: UInt64?
    /// Where the next record begins.
    public private(set) var offset = FileHeader.size
    private var sequence: UInt64 = 0
    private var decoder = CommitDecoder()

    /// A reader at the start of a file.
    public init(_ device: any JournalDevice) { self.device = device }

    /// Reads the records that are there, and calls `body` after each. Returns how many there were.
    ///
    /// - Throws: ``JournalError`` if the file is no journal, or a record makes no sense; what `body` throws. The store has to be
    ///   discarded then.
    @discardableResult
    public mutating func readOn<Store: CommitReplayer>(
        into store: inout Store, _ body: (inout Store, Record) throws -> Void
    ) throws -> Int {
        let size = try device.size()
        var window = FileWindow(device, size: size)
        if journal == nil {
            // A file that is being made has no header yet.
            if try Journal.isUnused(device, size: size) { return 0 }
            journal = try FileHeader(try window.bytes(at: 0, count: FileHeader.size)).id
        }
        var count = 0
        while let record = try window.record(at: offset, journal: journal!),
            record.header.sequence == sequence + 1
        {
            let kind = try replay(record.header, record.payload, &store)
            let read = Record(
                sequence: record.header.sequence, kind: kind, offset: offset, size: record.header.recordSize)
            offset += record.header.recordSize
            sequence = record.header.sequence
            count += 1
            try body(&store, read)
        }
        return count
    }

    private mutating func replay(
        _ header: RecordHeader, _ payload: UnsafeRawBufferPointer, _ store: inout some CommitReplayer
    ) throws -> Record.Kind {
        switch header.kind {
        case JournalLog.commitRecord:
            try decoder.replay(payload, into: &store)
            return .commit
        case JournalLog.schemaVersionRecord:
            return .schemaVersion(try JournalLog.version(payload))
        default:
            throw JournalError.corrupt(
                offset: offset, reason: "record \(header.sequence) is of the unknown kind \(header.kind)")
        }
    }
}

extension JournalReader {
    /// The format version of a file. Throws if it is no journal, or of a version that is not read.
    public static func formatVersion(of device: any JournalDevice) throws(JournalError) -> Int {
        let size = try device.size()
        var window = FileWindow(device, size: size)
        _ = try FileHeader(try window.bytes(at: 0, count: FileHeader.size))
        return Int(FileHeader.version)
    }
}
