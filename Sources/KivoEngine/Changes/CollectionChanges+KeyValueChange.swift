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
