/// Where a journal ends, or how far it was read.
struct LogPosition: Sendable, Equatable {
    /// The offset behind the last record.
    var end = 0
    /// The number of the last record.
    var sequence: UInt64 = 0
    /// How many commits there were, in earlier files of these data as well: the version of the log.
    var version: UInt64 = 0
    /// The identity of the journal: others may have put another one in its place since.
    var journal: UInt64

    /// Goes past a record.
    mutating func pass(_ header: RecordHeader) {
        end += header.recordSize
        sequence = header.sequence
        if RecordKind(rawValue: header.kind).isData { version += 1 }
    }
}

extension LogPosition {
    /// Where a checkpoint's tail begins.
    init(behind checkpoint: CheckpointRecord, in journal: UInt64) {
        self.init(
            end: checkpoint.tail.offset, sequence: checkpoint.tail.sequence, version: checkpoint.commits,
            journal: journal)
    }

    /// The beginning of a journal without a checkpoint.
    init(beginningOf journal: UInt64, at offset: Int) { self.init(end: offset, journal: journal) }
}
