import KivoEngine

/// The limits that decide when a checkpoint is made, and when a file is compacted.
package struct CheckpointPolicy: Sendable {
    /// The number of bytes that a file may have in addition to twice its live data before it is compacted.
    package var allowance = 1 << 20
    /// The smallest number of bytes of commits that is worth a checkpoint. Large files need more: see ``tailShare``.
    package var smallestTail = 1 << 19
    /// The smallest number of bytes of commits that is worth a checkpoint on closing. The next opening replays a smaller rest in
    /// a millisecond.
    package var smallestTailOfClosing = 1 << 16
    /// The share of the file that commits since the last checkpoint must reach, as a divisor: 8 for an eighth.
    package var tailShare = 8
    /// The number of bytes of pages that are written at once. A commit waits for such a write.
    package var chunkSize = 1 << 18
    /// The size of the largest page that is written. Tests lower it to see what happens beyond.
    package var largestPage = PageLayout.largestPage

    /// The time that a checkpoint on closing may take. If it is zero, no checkpoint is made on closing.
    package var closingTimeLimit = Duration.seconds(5)

    /// Creates the default policy.
    package init() {}
}

extension CheckpointPolicy {
    /// The decision whether a checkpoint is made.
    enum Need {
        case none
        /// A checkpoint is made if the file is larger than ``largestClosed(live:)``.
        case ifLarge
        case checkpoint
    }

    /// Returns whether a checkpoint is made.
    ///
    /// - Parameters:
    ///   - tail: The number of bytes of commits since the last checkpoint.
    ///   - size: The size of the file.
    ///   - isClosing: Whether the store is about to close.
    ///   - isDemanded: Whether what was written takes more memory than it should.
    func need(tail: Int, size: Int, isClosing: Bool, isDemanded: Bool = false) -> Need {
        guard isClosing else {
            return isDemanded && tail > 0 || tail >= smallestTail && tail >= size / tailShare
                ? .checkpoint : .none
        }
        if closingTimeLimit <= .zero { return .none }
        if tail >= smallestTailOfClosing { return .checkpoint }
        // A few commits may have deleted most of a large file. They do not justify a checkpoint, but the file is too large.
        return tail > 0 && size > allowance ? .ifLarge : .none
    }

    /// Returns an estimate of the live bytes: the size of the file when it was last written as a whole, reduced in proportion if
    /// there are fewer rows now.
    func live(_ base: CheckpointBase, rows: Int) -> Int {
        rows < base.rows ? Int(Double(base.bytes) * (Double(rows) / Double(base.rows))) : base.bytes
    }

    /// Returns the largest size that a file may have when a checkpoint begins. A larger file is compacted.
    func largestBefore(live: Int) -> Int { size(halves: 4, live) }

    /// Returns the largest size to which a checkpoint may extend a file. A checkpoint that needs more is written as a new file.
    /// The commits until the next checkpoint add an eighth or ``smallestTail``: the file then has about three times its live
    /// data.
    func largestAfter(live: Int) -> Int { size(halves: 5, live) }

    /// Returns the largest size that a file may keep on closing if only few commits followed the last checkpoint.
    func largestClosed(live: Int) -> Int { size(halves: 6, live) }

    /// Returns `halves` times half the live bytes, plus ``allowance``. The sum is clamped because an `Int` of 32 bits is small.
    private func size(halves: Int128, _ live: Int) -> Int {
        Int(clamping: halves * Int128(live) / 2 + Int128(allowance))
    }
}
