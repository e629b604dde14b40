/// How an ordered collection differs from its earlier contents, as indexes.
///
/// To get from the earlier contents to the current ones: remove ``deletions`` (highest first), insert at
/// ``insertions`` (lowest first), then replace at ``modifications``. All index arrays ascend without repetition.
public struct CollectionChanges: Sendable, Equatable {
    /// An element that is at another place now.
    public struct Move: Sendable, Hashable {
        /// The index in the earlier contents, which is also among the deletions.
        public var from: Int
        /// The index in the current contents, which is also among the insertions.
        public var to: Int

        /// Creates a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Indexes into the earlier contents of the elements that are gone or moved away.
    public var deletions: [Int] = []
    /// Indexes into the current contents of the elements that are new or moved here.
    public var insertions: [Int] = []
    /// Indexes into the current contents of the elements that were kept, but changed. None is also an insertion.
    public var modifications: [Int] = []
    /// The elements of ``modifications``, in the same order, as indexes into the earlier contents.
    public var modificationsOld: [Int] = []
    /// The elements that were moved, in the sequence in which each was first moved.
    public var moves: [Move] = []
    /// Whether the last thing that happened to the collection was to be emptied by a clear.
    public var isCleared = false

    /// Creates the description of no change.
    public init() {}

    /// Whether there is nothing to tell an observer.
    public var isEmpty: Bool {
        hasNoIndexes && !isCleared
    }

    /// Whether no element is affected, although the collection may have been filled and cleared in between.
    var hasNoIndexes: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
    }
}
