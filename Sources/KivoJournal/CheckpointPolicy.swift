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

    /// The usual policy.
    public init() {}
}
