/// The difference of an ordered collection from its earlier contents, as indexes.
///
/// To get from the earlier contents to the current ones: remove ``deletions`` (highest first), insert at
/// ``insertions`` (lowest first), then replace at ``modifications``. All index arrays ascend without repetition.
@usableFromInline package struct CollectionChanges: Sendable, Equatable {
    /// An element that changed its position.
    @usableFromInline package struct Move: Sendable, Hashable {
        /// The index in the earlier contents, which is also among the deletions.
        package var from: Int
        /// The index in the current contents, which is also among the insertions.
        package var to: Int

        /// Creates a move.
        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Indexes into the earlier contents of the removed or moved elements.
    package var deletions: [Int] = []
    /// Indexes into the current contents of the inserted or moved elements.
    package var insertions: [Int] = []
    /// Indexes into the current contents of the elements that were kept, but changed. None of them is also an insertion.
    package var modifications: [Int] = []
    /// The elements of ``modifications``, in the same order, as indexes into the earlier contents.
    package var modificationsOld: [Int] = []
    /// The elements that were moved, in the sequence in which each was first moved.
    package var moves: [Move] = []
    /// A Boolean value that indicates whether the last operation on the collection was a clear that emptied it.
    package var isCleared = false

    /// Creates an empty difference.
    package init() {}

    /// A Boolean value that indicates whether observers need no notification.
    package var isEmpty: Bool {
        hasNoIndexes && !isCleared
    }

    /// Whether no element is affected, although the collection may have been filled and cleared in between.
    var hasNoIndexes: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
    }
}

extension CollectionChanges {
    /// Returns the current positions of elements that were at old positions. A deleted element gets a negative number of
    /// its own.
    func positions(ofOld positions: [Int64], isSame: (Int, Int) -> Bool) -> [Int64] {
        var moved: [Int: Int] = [:]
        for move in moves where moved[move.from] == nil && isSame(move.from, move.to) {
            moved[move.from] = move.to
        }
        return positions.enumerated().map { index, old in
            let old = Int(old)
            if let new = moved[old] { return Int64(new) }
            let kept = RetainedPositions.position(old, without: deletions, with: insertions)
            return Int64(kept ?? -1 - index)
        }
    }
}

extension CollectionChanges {
    /// A change of an ordered collection in the form that key-value observing requires: of a single kind.
    @usableFromInline package enum KeyValueChange: Sendable, Equatable {
        /// No change.
        case none
        /// Elements were inserted at these ascending indexes of the current contents.
        case insertion([Int])
        /// The elements at these ascending indexes of the earlier contents were removed.
        case removal([Int])
        /// The elements at these ascending indexes were replaced; the number of elements is unchanged.
        case replacement([Int])
        /// Anything else.
        case wholesale
    }

    /// Returns the change in the form that key-value observing requires.
    ///
    /// The ``modifications`` must only contain assignments of elements, not changes of the objects to which the elements refer.
    ///
    /// - Complexity: Proportional to the number of indexes, or, with moves, to the span that they cover.
    ///
    /// - Parameter isRollback: whether to describe the inverse instead, from the current contents to the earlier.
    package func keyValueChange(isRollback: Bool = false) -> KeyValueChange {
        if hasNoIndexes {
            return .none
        }
        if !moves.isEmpty && insertions.count == moves.count && deletions.count == moves.count {
            return .replacement(replacedIndexes())
        }
        switch (deletions.isEmpty, insertions.isEmpty, modifications.isEmpty) {
        case (true, false, true): return isRollback ? .removal(insertions) : .insertion(insertions)
        case (false, true, true): return isRollback ? .insertion(deletions) : .removal(deletions)
        case (true, true, false): return .replacement(modifications)
        default: return .wholesale
        }
    }

    /// Returns the indexes whose element was replaced or assigned, for a change of moves and modifications only.
    private func replacedIndexes() -> [Int] {
        let low = min(insertions[0], deletions[0])
        let high = max(insertions[insertions.count - 1], deletions[deletions.count - 1])
        var replaced: [Int] = []
        // The number of insertions minus deletions up to an index. While it is not 0, elements are displaced.
        var shift = 0
        var (nextDeletion, nextInsertion) = (0, 0)
        for index in low...high {
            // `index + shift` never decreases, so each array is traversed only once.
            while nextInsertion < insertions.count && insertions[nextInsertion] < index + shift {
                nextInsertion += 1
            }
            if nextDeletion < deletions.count && deletions[nextDeletion] == index {
                nextDeletion += 1
                shift -= 1
            } else if nextInsertion < insertions.count && insertions[nextInsertion] == index + shift {
                shift += 1
            }
            if shift != 0 {
                replaced.append(index)
            }
        }
        return Set(replaced + deletions + modifications).sorted()
    }
}
