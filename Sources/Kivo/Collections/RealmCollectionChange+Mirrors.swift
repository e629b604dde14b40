import KivoEngine
import KivoObserving

extension RealmCollectionChange {
    /// The positions of the modified elements in the current collection, ascending; empty for a first call.
    ///
    /// These are the elements of the update's `modifications`, in the same order. Use them to read the elements, and for views
    /// that take changes one after another, such as `NSTableView`. They are computed from the update alone, so that the
    /// collection is not read.
    ///
    /// - Complexity: O(m log n) for m modifications and n deletions and insertions.
    public var currentModifications: [Int] {
        guard case .update(_, let deletions, let insertions, let modifications) = self else { return [] }
        return RetainedPositions.positions(modifications, without: deletions, with: insertions)
    }
}

extension RealmCollectionChange where CollectionType: RandomAccessCollection, CollectionType.Index == Int {
    /// Updates an array with one row for each element of the collection.
    ///
    ///     var names: [String] = []
    ///     let token = dogs.observe { change in
    ///         change.apply(to: &names) { dog in dog.name }
    ///     }
    ///
    /// The first change replaces the array. An update removes, inserts and replaces the rows that changed, and leaves the others
    /// as they are. If `row` throws, the array is unchanged.
    ///
    /// - Parameters:
    ///   - rows: the array to update.
    ///   - row: returns the row of an element. It is called for inserted and modified elements, or for all in the first call.
    /// - Complexity: O(n) for a first call. For an update, one call of `row` for each inserted or modified element, and O(k) for
    ///   the k rows from the first deletion or insertion on.
    /// - Precondition: The array had one row for each element when the observer was called last, and the collection has not
    ///   changed since this call.
    public func apply<Row>(
        to rows: inout [Row], _ row: (CollectionType.Element) throws -> Row
    ) rethrows {
        switch self {
        case .initial(let collection): rows = try collection.map(row)
        case .update(let collection, let deletions, let insertions, let modifications):
            let count = rows.count - deletions.count + insertions.count
            if count != collection.count {
                trap(
                    """
                    The array has \(rows.count) elements. With \(deletions.count) deletions and \(insertions.count) \
                    insertions it would have \(count), but the collection has \(collection.count). Apply each change of one \
                    observation, and no other, when it is delivered.
                    """)
            }
            let modified = try currentModifications.map { try row(collection[$0]) }
            let inserted = try insertions.map { try row(collection[$0]) }
            for (position, row) in zip(modifications, modified) { rows[position] = row }
            rows.remove(at: deletions)
            rows.insert(inserted, at: insertions)
        case .error: break
        }
    }
}

extension Array {
    /// Removes the elements at ascending positions. One pass: many single removals would move the rest of the array each time.
    fileprivate mutating func remove(at positions: [Int]) {
        guard let first = positions.first else { return }
        var (end, next) = (first, 0)
        for position in first..<count {
            if next < positions.count, positions[next] == position {
                next += 1
            } else {
                self[end] = self[position]
                end += 1
            }
        }
        removeSubrange(end...)
    }

    /// Inserts elements so that they are at ascending positions afterwards. One pass.
    fileprivate mutating func insert(_ elements: [Element], at positions: [Int]) {
        guard let first = positions.first else { return }
        let moved = Array(self[first...])
        removeSubrange(first...)
        var rest = moved[...]
        for (position, element) in zip(positions, elements) {
            let kept = position - count
            self += rest.prefix(kept)
            rest = rest.dropFirst(kept)
            append(element)
        }
        self += rest
    }
}
