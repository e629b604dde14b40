import KivoEngine
import KivoLog

/// A reader of a file's commits in order, and later of the commits that were appended since. It does not change the file, and
/// other processes may write to the file meanwhile.
///
/// The contents of a file that was compacted are the state from which the reader begins. It ignores later checkpoints, because
/// they repeat what the commits contain. An incomplete record is taken for one that is being written; opening the file reports
/// whether it is damaged.
package struct JournalReader {
    /// A record that was read.
    package struct Record: Sendable {
        /// The contents of a record.
        package enum Kind: Sendable {
            /// The changes of a transaction.
            case commit
            /// The schema version from this record on.
            case schemaVersion(UInt64)
            /// A migration of classes and their objects; the schema version from this record on.
            case migration(schemaVersion: UInt64)
            /// All data at the time when the file was compacted, with its schema version.
            case beginning(schemaVersion: UInt64)

            /// A Boolean value that indicates whether the record contains new data: false only for a beginning.
            package var isData: Bool { if case .beginning = self { false } else { true } }
        }

        /// The number of the record, counted from 1.
        package var sequence: UInt64
        /// The contents of the record.
        package var kind: Kind
        /// The offset of the record in bytes.
        package var offset: Int
        /// The size of the record in bytes.
        package var size: Int
        /// The number of records with new data up to this one, including those in files that this one replaced.
        package var number: UInt64
        /// The time of the commit, its label and its author; nil if it was written in an earlier format, and for a beginning.
        package var stamp: CommitStamp?
    }

    /// The number of bytes that are read at once from the second call on.
    private static let laterCapacity = 1 << 16

    private let device: any JournalDevice
    /// The header of the file; nil before it is read.
    private var header: FileHeader?
    /// The position after the last record that was read; nil before the header is read.
    private var position: LogPosition?
    private var applier = CommitApplier.reading()
    private var hasBegun = false
    /// The offset up to which pages of the checkpoint with which the reader began lie between the records.
    private var pagesEnd = 0
    /// The version up to which the reader may skip commits, by beginning with a checkpoint.
    private let skippedVersion: UInt64

    /// Creates a reader at the start of a file.
    ///
    /// - Parameter version: The reader begins with the newest checkpoint of at most this version, if there is one, so that the
    ///   commits before it are not read.
    package init(_ device: any JournalDevice, fromCheckpointUpTo version: UInt64 = 0) {
        (self.device, skippedVersion) = (device, version)
    }

    /// The offset of the next record.
    package var offset: Int { position?.end ?? FileHeader.size }

    /// Reads the available records, and calls `body` after each one with new data or a beginning.
    ///
    /// A store that is restored from a checkpoint loads its nodes from the device. It removes the file's number from
    /// ``PageFiles`` when it is discarded.
    ///
    /// - Throws: ``JournalError`` if the file is not a journal, or a record is invalid; any error of `body`. The store must then
    ///   be discarded.
    package mutating func readOn<Store: CommitReplayer>(
        into store: inout Store, _ body: (inout Store, Record) throws -> Void
    ) throws {
        let size = try device.size()
        // A file that is being created has no header yet.
        if header == nil, try Journal.isUnused(device, size: size) { return }
        let header = try self.header ?? HeaderPages(device, size: size).header
        self.header = header
        var records = RecordCursor(
            device, from: position ?? LogPosition(beginningOf: header), size: size,
            // A reader that goes on finds few commits, or stops after some.
            capacity: position == nil ? FileWindow.usualCapacity : JournalReader.laterCapacity)
        if position == nil, skippedVersion > 0 { try beginWithCheckpoint(&records, into: &store, body) }
        position = records.position
        while let record = try records.next() {
            let kind = try record.locatingErrors { try apply(record, to: &store) }
            position = records.position
            if let kind {
                let read = Record(
                    sequence: record.header.sequence, kind: kind, offset: record.start,
                    size: record.header.recordSize, number: applier.version,
                    stamp: kind.isData ? applier.stamp : nil)
                try body(&store, read)
            }
            try records.skipPages(before: pagesEnd)
        }
    }

    /// Restores the newest checkpoint that may be used, if there is one, and advances to the records after it.
    private mutating func beginWithCheckpoint<Store: CommitReplayer>(
        _ records: inout RecordCursor, into store: inout Store, _ body: (inout Store, Record) throws -> Void
    ) throws {
        let pages = try HeaderPages(device, size: records.window.size)
        guard let newest = try records.newestCheckpoint(pages, upTo: skippedVersion) else { return }
        try restore(newest.record, to: &store)
        hasBegun = true
        records.position = LogPosition(atTailOf: newest.record, in: pages.header.id)
        let beginning = Record(
            sequence: records.position.sequence, kind: .beginning(schemaVersion: applier.schemaVersion ?? 0),
            offset: newest.offset, size: 0, number: applier.version)
        // Before the call, which may end the reading for now.
        (position, pagesEnd) = (records.position, newest.offset)
        try body(&store, beginning)
        try records.skipPages(before: pagesEnd)
    }

    /// Applies a record to the store; returns nil for pages and for later checkpoints.
    private mutating func apply(
        _ record: JournalRecord, to store: inout some CommitReplayer
    ) throws -> Record.Kind? {
        guard let kind = try EncodedCommit.Kind(record.kind) else {
            guard record.kind == .checkpoint, !hasBegun else { return nil }
            hasBegun = true
            try restore(try CheckpointRecord(record.payload), to: &store)
            return .beginning(schemaVersion: applier.schemaVersion ?? 0)
        }
        try applier.apply(kind, record.payload, into: &store)
        let schemaVersion = applier.schemaVersion ?? 0
        if kind != .schemaVersion { hasBegun = true }
        return switch kind {
        case .changes: .commit
        case .schemaVersion: .schemaVersion(schemaVersion)
        case .migration: .migration(schemaVersion: schemaVersion)
        }
    }

    private mutating func restore(
        _ checkpoint: CheckpointRecord, to store: inout some CommitReplayer
    ) throws {
        do {
            let image = JournalCheckpoint(checkpoint, device, header!) { _ in }
            try applier.restore(image, into: &store)
        } catch let flaw as PageFlaw {
            throw JournalError.corrupt(offset: 0, reason: "the checkpoint makes no sense: \(flaw)")
        }
    }
}

extension JournalReader {
    /// Returns the format version of a file.
    ///
    /// - Throws: ``JournalError`` if the file is not a journal, or its version is not supported.
    package static func formatVersion(of device: any JournalDevice) throws(JournalError) -> Int {
        try HeaderPages.read(device) { bytes throws(JournalError) in Int(try FileHeader(bytes).version) }
    }
}
