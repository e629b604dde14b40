/// The effect of a change on the occurrences of a list that a view follows.
struct OccurrenceEdit {
    /// The removed occurrences, by position in the old list, ascending.
    var removed: [Int]
    /// The positions of inserted occurrences in the new list, ascending, with their objects or numbers.
    var inserted: [(position: Int, key: ObjectKey)]
    /// The occurrences that stay in the list, but whose object changed.
    var touched: [Int] = []
    /// The occurrences to remove from the view.
    var viewRemovals: [Int64] = []
    /// The occurrences that stay in the list and are in the view afterwards.
    var retained: [Int64] = []
    /// The positions of assigned plain values.
    var assigned: [Int] = []
    /// Whether the inserted element at a position belongs to the view afterwards.
    var isMember: (Int, ObjectKey) -> Bool = { _, _ in true }

    /// Whether the list itself is unchanged, and at most its objects changed.
    var isListUnchanged: Bool { removed.isEmpty && inserted.isEmpty && assigned.isEmpty }

    /// Derives the edit from a change of the list; the index must still be at the old list. Assigned elements are removed and
    /// inserted.
    ///
    /// - Parameter key: returns the object, or the number, at a position of the new list.
    init(_ changes: CollectionChanges, of index: OccurrenceIndex, key: (Int) -> ObjectKey) {
        removed = (changes.deletions + changes.modificationsOld).sorted().map { index.occurrence(at: $0) }
        inserted = (changes.insertions + changes.modifications).sorted().map { ($0, key($0)) }
    }

    /// Applies the edit to the index. Returns the new occurrences that belong to the view.
    func apply(to index: OccurrenceIndex) -> [Int64] {
        for occurrence in removed { index.remove(occurrence) }
        var members: [Int64] = []
        for (position, key) in inserted {
            let occurrence = index.allocate(key)
            index.insert(occurrence, at: position)
            if isMember(position, key) { members.append(Int64(occurrence)) }
        }
        return members
    }
}

extension OccurrenceIndex {
    /// Applies a change of the list to the index. `sequence` is the list after the change.
    package func apply(_ changes: CollectionChanges, _ sequence: PersistentSequence) {
        let edit = OccurrenceEdit(changes, of: self) { sequence.cell(at: $0).occurrenceKey }
        _ = edit.apply(to: self)
    }
}
