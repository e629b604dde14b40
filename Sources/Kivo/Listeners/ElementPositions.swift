import KivoEngine

/// Where the objects of an observed collection are in it, and which of them count as modified. Confined with its observer.
struct ElementPositions {
    private let reference: CollectionReference
    /// What counts as a modification of an object; nil for plain values.
    private let dependencies: Dependencies?
    /// Where the objects of a list or of a map's values are, from the first time that one of them changed.
    private var occurrences: OccurrenceIndex?

    init(_ reference: CollectionReference, _ dependencies: Dependencies?) {
        self.reference = reference
        self.dependencies = dependencies
    }

    /// Follows what was done to the collection. To be told of every change.
    func follow(_ change: CollectionChanges?) {
        if let change { occurrences?.apply(change, reference.sequence) }
    }

    /// Lets go of what is known, because the collection is gone.
    mutating func forget() { occurrences = nil }

    /// The positions of elements that stayed and were assigned, or whose objects count as modified; ascending. An object
    /// that is new is at a position that was inserted or assigned.
    mutating func modified(
        _ assigned: [Int], _ pending: PendingChanges, _ insertions: [Int]
    ) -> [Int] {
        let affected = affected(pending)
        guard !affected.isEmpty else { return assigned }
        let inserted = Set(insertions)
        var positions = Set(assigned)
        for key in affected {
            forEachPosition(of: key) { if !inserted.contains($0) { positions.insert($0) } }
        }
        return positions.sorted()
    }

    /// Whether objects of the collection count as modified.
    func areAffected(_ pending: PendingChanges) -> Bool { !affected(pending).isEmpty }

    /// The objects of the collection that count as modified.
    private func affected(_ pending: PendingChanges) -> [ObjectKey] {
        let id = reference.id
        guard let dependencies,
            let backlinks = pending.catalog.tables[id.table].backlinks[id.column]
        else { return [] }
        let snapshot = pending.new
        let sequence = reference.sequence
        return pending.walks.rows(dependencies, among: sequence.count) { body in
            sequence.forEachLinkWhile(body)
        }.filter { snapshot.backlinks(backlinks, of: $0).contains(id.key) }
    }

    private mutating func forEachPosition(of key: ObjectKey, _ body: (Int) -> Void) {
        let sequence = reference.sequence
        if reference.property.type.collection == .set {
            let (position, isEqual) = sequence.lowerBound(.link(key))
            if isEqual { body(position) }
            return
        }
        let index = occurrences ?? OccurrenceIndex(sequence)
        occurrences = index
        index.forEachPosition(of: key, body)
    }
}
