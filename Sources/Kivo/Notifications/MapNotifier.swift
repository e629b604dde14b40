import KivoEngine

/// A change of a map, as its observers are told: keys, ascending.
struct MapUpdate {
    var deletions: [String] = []
    var insertions: [String] = []
    var modifications: [String] = []
}

/// An observer of a map: driven by the operations that were recorded, never by comparing contents.
///
/// Keys and values are two sequences that are edited alike. Which keys came and went is in the record of the
/// keys, what was assigned to keys that stayed in that of the values. Keys that went are read from the
/// version that the observer saw last, so that nothing of the map needs to be copied.
final class MapNotifier: Notifier {
    private let keys: CollectionReference
    private let values: CollectionReference
    private let filter: KeyPathFilter?
    private let call: (MapUpdate?) -> Void
    private var isDead = false
    /// Where objects are among the values, from the first time that one of them changed.
    private var occurrences: OccurrenceIndex?

    init(
        _ keys: CollectionReference, _ values: CollectionReference, _ filter: KeyPathFilter?,
        _ call: @escaping (MapUpdate?) -> Void
    ) {
        self.keys = keys
        self.values = values
        self.filter = filter
        self.call = call
        super.init(keys.core, hasInitial: true)
    }

    override func callInitial() {
        isDead = keys.isInvalidated
        call(nil)
    }

    override func skip(_ pending: PendingChanges) { follow(pending.changes.sequences[values.id]?.resolve()) }

    override func deliver(_ pending: PendingChanges) {
        guard !isDead else { return }
        let id = keys.id
        let old = pending.old.table(id.table).sequence(id.key, id.column, keys.element)
        if pending.changes.table(id.table)?.state(of: id.key) == .deleted {
            isDead = true
            occurrences = nil
            var deletions: [String] = []
            old.forEach { deletions.append($0.mapKey) }
            return call(MapUpdate(deletions: deletions))
        }
        let change = pending.changes.sequences[id]?.resolve()
        let assignments = pending.changes.sequences[values.id]?.resolve()
        follow(assignments)
        let insertions = change?.insertions ?? []
        var modifications = assignments?.modifications ?? []
        let found = modifiedObjects(pending, insertions)
        if !found.isEmpty { modifications = Set(modifications).union(found).sorted() }
        if modifications.isEmpty, change?.isEmpty ?? true { return }
        let sequence = keys.sequence
        call(
            MapUpdate(
                deletions: change?.deletions.map { old.cell(at: $0).mapKey } ?? [],
                insertions: insertions.map { sequence.cell(at: $0).mapKey },
                modifications: modifications.map { sequence.cell(at: $0).mapKey }))
    }

    private func follow(_ assignments: CollectionChanges?) {
        if let assignments { occurrences?.apply(assignments, values.sequence) }
    }

    /// The positions of keys that stayed and whose objects count as modified. An object that is new is at a
    /// key that was put.
    private func modifiedObjects(_ pending: PendingChanges, _ insertions: [Int]) -> [Int] {
        let id = values.id
        guard let elements = values.context.elements,
            let backlinks = pending.core.catalog.tables[id.table].backlinks[id.column]
        else { return [] }
        let snapshot = pending.core.snapshot
        let affected = AffectedRows(pending.core, pending.changes).rows(elements.table, filter).filter {
            snapshot.backlinks(backlinks, of: $0).contains(id.key)
        }
        guard !affected.isEmpty else { return [] }
        let index = occurrences ?? OccurrenceIndex(values.sequence)
        occurrences = index
        let inserted = Set(insertions)
        var positions: [Int] = []
        for key in affected {
            index.forEachPosition(of: key) { if !inserted.contains($0) { positions.append($0) } }
        }
        return positions
    }
}

extension Cell {
    /// The key of a map that the cell holds.
    fileprivate var mapKey: String {
        guard case .string(let key) = self else { fatalError("the keys of maps are strings") }
        return key
    }
}
