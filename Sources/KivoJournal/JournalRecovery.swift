/// What was put right when a journal was opened.
public struct JournalRecovery: Sendable, Equatable {
    /// The bytes of a record that was not finished, from where it begins to its last byte that is not zero; empty if
    /// there was none.
    public var discardedBytes: Range<Int>
    /// The number that the record would have had, counted from 1.
    public var discardedRecord: UInt64
    /// Whether one of the two copies of the file's header was damaged.
    public var isHeaderDamaged: Bool
}
