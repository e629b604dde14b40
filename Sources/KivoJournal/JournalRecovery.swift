/// The repairs that were made when a journal was opened.
public struct JournalRecovery: Sendable, Equatable {
    /// The bytes of an unfinished record, from its beginning to its last nonzero byte; empty if there was none.
    public var discardedBytes: Range<Int>
    /// The number that the record would have had, counted from 1.
    public var discardedRecord: UInt64
    /// A Boolean value that indicates whether one of the two copies of the file's header was damaged.
    public var isHeaderDamaged: Bool
}
