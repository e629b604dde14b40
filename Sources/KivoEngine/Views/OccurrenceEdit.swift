/// What happens to the occurrences of a list that a view follows.
struct OccurrenceEdit {
    /// Those that are gone, as they were in the old list, ascending.
    var removed: [Int]
    /// Where new ones are in the new list, ascending, and of which objects, or with which numbers.
    var inserted: [(position: Int, key: ObjectKey)]
    /// Those that stay in the list, but whose object changed.
    var touched: [Int] = []
    /// Those that were in the view and are to be taken out.
    var leaving: [Int64] = []
    /// Those that stay in the list and are in the view afterwards.
    var staying: [Int64] = []
    /// Where plain values are that were assigned.
    var assigned: [Int] = []
    /// Whether what is new at a position belongs to the view afterwards.
    var isMember: (Int, ObjectKey) -> Bool = { _, _ in true }

    /// Whether the list is what it was, and no more than its objects changed.
    var isOfStayingOnly: Bool { removed.isEmpty && inserted.isEmpty && assigned.isEmpty }

    /// What a change of the list does to an index that is still as it was. What was assigned is taken out and put in.
    ///
    /// - Parameter key: which object, or number, is at a position of the new list.
    init(_ changes: CollectionChanges, of index: OccurrenceIndex, key: (Int) -> ObjectKey) {
        removed = (changes.deletions + changes.modificationsOld).sorted().map { index.occurrence(at: $0) }
        inserted = (changes.insertions + changes.modifications).sorted().map { ($0, key($0)) }
    }

    /// Edits the index; returns the new occurrences that belong to the view.
    func carryOut(on index: OccurrenceIndex) -> [Int64] {
        for occurrence in removed { index.remove(occurrence) }
        var members: [Int64] = []
        for (position, key) in inserted {
            let occurrence = index.allocate(key)
            index.place(occurrence, at: position)
            if isMember(position, key) { members.append(Int64(occurrence)) }
        }
        return members
    }
}

extension OccurrenceIndex {
    /// Follows a change of the list to what it is now.
    public func apply(_ changes: CollectionChanges, _ sequence: PersistentSequence) {
        let edit = OccurrenceEdit(changes, of: self) { sequence.cell(at: $0).occurrenceKey }
        _ = edit.carryOut(on: self)
    }
}
