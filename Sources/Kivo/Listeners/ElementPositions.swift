import KivoEngine

/// The positions of objects in an observed collection, and which of them count as modified. Confined with its observer.
struct ElementPositions {
    private let reference: CollectionReference
    /// The columns and links that count as modifications of an object; nil for plain values and for values of any type.
    private let dependencies: Dependencies?
    /// The positions of the objects of a list or of a map's values; created when one of them first changes.
    private var occurrences: OccurrenceIndex?

    init(_ reference: CollectionReference, _ dependencies: Dependencies?) {
        self.reference = reference
        self.dependencies = dependencies
    }

    /// Applies a change of the collection to the index. Call this for every change.
    func follow(_ change: CollectionChanges?) {
        if let change { occurrences?.apply(change, reference.sequence) }
    }

    /// Releases the index, because the collection was deleted.
    mutating func forget() { occurrences = nil }

    /// Returns the positions of remaining elements that were assigned or whose objects count as modified, ascending. A new object
    /// is at an inserted or assigned position.
    mutating func modified(
        _ assigned: [Int], _ pending: PendingChanges, _ insertions: [Int]
    ) -> [Int] {
        let affected = affected(pending)
        guard !affected.isEmpty else { return assigned }
        let inserted = Set(insertions)
        var positions = Set(assigned)
        for element in affected {
            forEachPosition(of: element) { if !inserted.contains($0) { positions.insert($0) } }
        }
        return positions.sorted()
    }

    /// Whether objects of the collection count as modified.
    func areAffected(_ pending: PendingChanges) -> Bool { !affected(pending).isEmpty }

    /// Returns the objects of the collection that count as modified, as cells of its elements.
    private func affected(_ pending: PendingChanges) -> [Cell] {
        let id = reference.id
        if reference.element == .any { return affectedAmongAny(pending) }
        guard let dependencies,
            let backlinks = pending.catalog.tables[id.table].backlinks[id.column]
        else { return [] }
        let snapshot = pending.new
        let sequence = reference.sequence
        return pending.traversals.rows(dependencies, among: sequence.count) { body in
            sequence.forEachLinkWhile(body)
        }.filter { snapshot.backlinks(backlinks, of: $0).contains(id.key) }.map { .link($0) }
    }

    /// Returns the modified objects of a collection of any values, class by class: one for each class to which its links can
    /// lead.
    private func affectedAmongAny(_ pending: PendingChanges) -> [Cell] {
        let (id, catalog, snapshot) = (reference.id, pending.catalog, pending.new)
        let filters = reference.instance.listeners.filters
        guard pending.traversals.affects(id.key, filters.dependencies(ofElementsOf: id, catalog)) else {
            return []
        }
        let sequence = reference.sequence
        var affected: [Cell] = []
        for (table, backlinks) in catalog.tables[id.table].anyBacklinks[id.column, default: [:]] {
            let rows = pending.traversals.rows(filters.dependencies(table, catalog), among: sequence.count) {
                body in
                var goesOn = true
                sequence.forEachAnyLink { if goesOn, $0.table == table { goesOn = body($0.key) } }
            }
            for key in rows where snapshot.backlinks(backlinks, of: key).contains(id.key) {
                affected.append(.typedLink(RowID(table: table, key: key)))
            }
        }
        return affected
    }

    private mutating func forEachPosition(of element: Cell, _ body: (Int) -> Void) {
        let sequence = reference.sequence
        if reference.property.type.collection == .set {
            let (position, isEqual) = sequence.lowerBound(element)
            if isEqual { body(position) }
            return
        }
        let index = occurrences ?? OccurrenceIndex(sequence)
        occurrences = index
        index.forEachPosition(of: element.occurrenceKey) { position in
            // Objects of different classes can share an occurrence key.
            if element.target == nil || sequence.cell(at: position) == element { body(position) }
        }
    }
}
