extension CollectionChanges {
    /// A change of an ordered collection in the terms of key-value observing: of one kind only.
    public enum KeyValueChange: Sendable, Equatable {
        /// Nothing changed.
        case none
        /// Elements were inserted and are now at these ascending indexes.
        case insertion([Int])
        /// Elements were removed that had these ascending indexes.
        case removal([Int])
        /// The elements at these ascending indexes are other ones now, the number of elements being the same.
        case replacement([Int])
        /// Anything else.
        case wholesale
    }

    /// The change in the terms of key-value observing.
    ///
    /// Only the assignment of elements may be among the ``modifications`` for this, not changes of the objects
    /// that the elements refer to. Time proportional to the number of indexes, or, with moves, to the span that they
    /// cover.
    ///
    /// - Parameter isRollback: whether to describe the way back instead, from the current contents to the earlier.
    public func keyValueChange(isRollback: Bool = false) -> KeyValueChange {
        if hasNoIndexes {
            return .none
        }
        if !moves.isEmpty && insertions.count == moves.count && deletions.count == moves.count {
            return .replacement(displacedIndexes())
        }
        switch (deletions.isEmpty, insertions.isEmpty, modifications.isEmpty) {
        case (true, false, true): return isRollback ? .removal(insertions) : .insertion(insertions)
        case (false, true, true): return isRollback ? .insertion(deletions) : .removal(deletions)
        case (true, true, false): return .replacement(modifications)
        default: return .wholesale
        }
    }

    /// The indexes that hold another or an assigned element, when there are only moves and modifications.
    private func displacedIndexes() -> [Int] {
        let low = min(insertions[0], deletions[0])
        let high = max(insertions[insertions.count - 1], deletions[deletions.count - 1])
        var displaced: [Int] = []
        // How many elements more have come than gone up to an index: those between come from elsewhere.
        var shift = 0
        var (nextDeletion, nextInsertion) = (0, 0)
        for index in low...high {
            // `index + shift` never goes back, so that both arrays need to be gone through only once.
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
                displaced.append(index)
            }
        }
        return Set(displaced + deletions + modifications).sorted()
    }
}
