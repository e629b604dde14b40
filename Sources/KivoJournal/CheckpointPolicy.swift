import KivoEngine

/// When checkpoints are made, and when a file is written anew.
public struct CheckpointPolicy: Sendable {
    /// How many bytes a file may have beside twice its live data before it is compacted.
    public var allowance = 1 << 20
    /// How many bytes of commits are worth a checkpoint, at least; more in large files.
    public var smallestTail = 1 << 19
    /// The same when the file is closed: what remains is carried out again by opening, in a millisecond.
    public var smallestTailOfClosing = 1 << 16
    /// Which part of the file has to be commits since the last checkpoint.
    public var tailShare = 8
    /// How many bytes of pages are written at once, during which a commit waits.
    public var chunkSize = 1 << 18
    /// The largest page that is written, for tests of what happens beyond.
    package var largestPage = PageLayout.largestPage

    /// How long a checkpoint of closing may take; none is made if that is no time at all.
    public var closingTimeLimit = Duration.seconds(5)

    /// The usual policy.
    public init() {}
}

extension CheckpointPolicy {
    /// How many bytes are live, by what a file held when it was last written anew: less for rows that went since.
    func live(_ base: CheckpointBase, rows: Int) -> Int {
        rows < base.rows ? Int(Double(base.bytes) * (Double(rows) / Double(base.rows))) : base.bytes
    }

    /// How large a file of so many live bytes may be when a checkpoint is begun; a larger one is written anew.
    func largestBefore(live: Int) -> Int { size(halves: 4, live) }

    /// How large a checkpoint may make such a file; one that would make it larger is written as a new file. The commits until
    /// the next one add an eighth or ``smallestTail``: with them it is three times what is live.
    func largestAfter(live: Int) -> Int { size(halves: 5, live) }

    /// How large such a file may stay when it is closed, though few commits came since the last checkpoint.
    func largestClosed(live: Int) -> Int { size(halves: 6, live) }

    /// The sum of so many halves of the live bytes and ``allowance``, at most what a number can hold: of 32 bits that is little.
    private func size(halves: Int128, _ live: Int) -> Int {
        Int(clamping: halves * Int128(live) / 2 + Int128(allowance))
    }
}
