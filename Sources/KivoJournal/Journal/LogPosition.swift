/// The end of a journal, or a position up to which it was read.
struct LogPosition: Sendable, Equatable {
    /// The offset after the last record.
    var end = 0
    /// The number of the last record.
    var sequence: UInt64 = 0
    /// The number of commits, including those in earlier files of these data: the version of the log.
    var version: UInt64 = 0
    /// The identity of the journal: another process may have replaced it with another journal since.
    var journal: UInt64

    /// Advances past a record.
    mutating func pass(_ header: RecordHeader) {
        end += header.recordSize
        sequence = header.sequence
        if header.kind.isData { version += 1 }
    }
}

extension LogPosition {
    /// Creates the position at which a checkpoint's tail begins.
    init(atTailOf checkpoint: CheckpointRecord, in journal: UInt64) {
        self.init(
            end: checkpoint.tail.offset, sequence: checkpoint.tail.sequence, version: checkpoint.commits,
            journal: journal)
    }

    /// Creates the position before the first record of a journal.
    init(beginningOf header: FileHeader) { self.init(end: header.recordsOffset, journal: header.id) }
}
