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
final class MapListener: Listener {
    private let keys: CollectionReference
    private let values: CollectionReference
    private let call: (MapUpdate?) -> Void
    private var isDead = false
    private var positions: ElementPositions

    init(
        _ keys: CollectionReference, _ values: CollectionReference, _ filter: KeyPathFilter?,
        _ call: @escaping (MapUpdate?) -> Void
    ) {
        self.keys = keys
        self.values = values
        positions = ElementPositions(values, filter)
        self.call = call
        super.init(keys.instance, hasInitial: true)
    }

    override func callInitial() {
        isDead = keys.isInvalidated
        call(nil)
    }

    override func skip(_ pending: PendingChanges) {
        positions.follow(pending.changes.sequences[values.id]?.resolve())
    }

    override func deliver(_ pending: PendingChanges) {
        guard !isDead else { return }
        let id = keys.id
        let old = pending.old.table(id.table).sequence(id.key, id.column, keys.element)
        if pending.changes.table(id.table)?.state(of: id.key) == .deleted {
            isDead = true
            positions.forget()
            var deletions: [String] = []
            old.forEach { deletions.append($0.mapKey) }
            return call(MapUpdate(deletions: deletions))
        }
        let change = pending.changes.sequences[id]?.resolve()
        let assignments = pending.changes.sequences[values.id]?.resolve()
        positions.follow(assignments)
        let insertions = change?.insertions ?? []
        let modifications = positions.modified(assignments?.modifications ?? [], pending, insertions)
        if modifications.isEmpty, change?.isEmpty ?? true { return }
        let sequence = keys.sequence
        call(
            MapUpdate(
                deletions: change?.deletions.map { old.cell(at: $0).mapKey } ?? [],
                insertions: insertions.map { sequence.cell(at: $0).mapKey },
                modifications: modifications.map { sequence.cell(at: $0).mapKey }))
    }
}

extension Cell {
    /// The key of a map that the cell holds.
    fileprivate var mapKey: String {
        guard case .string(let key) = self else { fatalError("the keys of maps are strings") }
        return key
    }
}
