import KivoEngine

/// A change of a collection, as its observers are told.
struct CollectionUpdate {
    var deletions: [Int]
    var insertions: [Int]
    var modifications: [Int]
}

/// An observer of a list or set: driven by the operations that were recorded, never by comparing contents.
final class SequenceNotifier: Notifier {
    private let reference: CollectionReference
    private let filter: KeyPathFilter?
    private let call: (CollectionUpdate?) -> Void
    private var count: Int
    private var isDead = false

    init(
        _ reference: CollectionReference, _ filter: KeyPathFilter?,
        _ call: @escaping (CollectionUpdate?) -> Void
    ) {
        self.reference = reference
        self.filter = filter
        self.call = call
        count = reference.sequence.count
        super.init(reference.core, hasInitial: true)
    }

    override func callInitial() {
        count = reference.sequence.count
        isDead = reference.isInvalidated
        call(nil)
    }

    override func skip(_ core: RealmCore) { count = reference.sequence.count }

    override func deliver(_ pending: PendingChanges) {
        guard !isDead else { return }
        let id = reference.id
        let oldCount = count
        count = reference.sequence.count
        if pending.changes.table(id.table)?.state(of: id.key) == .deleted {
            isDead = true
            call(CollectionUpdate(deletions: Array(0..<oldCount), insertions: [], modifications: []))
            return
        }
        let change = pending.changes.sequences[id]?.resolve()
        var modifications = change?.modifications ?? []
        if let elements = reference.context.elements {
            let found = modifiedElements(elements, pending, change?.insertions ?? [])
            if !found.isEmpty { modifications = Set(modifications).union(found).sorted() }
        }
        if modifications.isEmpty, change?.isEmpty ?? true { return }
        call(
            CollectionUpdate(
                deletions: change?.deletions ?? [], insertions: change?.insertions ?? [],
                modifications: modifications))
    }

    /// The positions of elements that stayed and whose objects count as modified.
    private func modifiedElements(
        _ elements: TableContext, _ pending: PendingChanges, _ insertions: [Int]
    ) -> [Int] {
        let id = reference.id
        guard let backlinks = pending.core.catalog.tables[id.table].backlinks[id.column] else { return [] }
        let snapshot = pending.core.snapshot
        let created = pending.changes.table(elements.table)
        let affected = AffectedRows(pending.core, pending.changes).rows(elements.table, filter).filter {
            key in
            guard created?.state(of: key) != .inserted else { return false }
            var isElement = false
            snapshot.backlinks(backlinks, of: key).forEach { if $0 == id.key { isElement = true } }
            return isElement
        }
        guard !affected.isEmpty else { return [] }
        let inserted = Set(insertions)
        var positions: [Int] = []
        var position = 0
        reference.sequence.forEachLink { key in
            if affected.contains(key), !inserted.contains(position) { positions.append(position) }
            position += 1
        }
        return positions
    }
}

/// An observer of results or linking objects.
///
/// The whole of a class is followed through the change set alone. Filtered and sorted results are evaluated again
/// when a table that they depend on changed, and compared with what the observer saw last.
final class ResultsNotifier: Notifier {
    private let state: QueryState
    private let filter: KeyPathFilter?
    private let call: (CollectionUpdate?) -> Void
    /// What the observer saw last: keys of objects, or for plain values the values. Not kept for whole tables.
    private var shown: [ObjectKey] = []
    private var values: [Cell] = []

    init(_ state: QueryState, _ filter: KeyPathFilter?, _ call: @escaping (CollectionUpdate?) -> Void) {
        self.state = state
        self.filter = filter
        self.call = call
        super.init(state.core, hasInitial: true)
    }

    override func callInitial() {
        remember()
        call(nil)
    }

    override func skip(_ core: RealmCore) { remember() }

    private func remember() {
        if state.isWholeTable { return }
        shown = state.rows
        values = currentValues()
    }

    private func currentValues() -> [Cell] {
        guard state.elements == nil, case .list(let reference) = state.source else { return [] }
        let sequence = reference.sequence
        return shown.map { sequence.cell(at: Int($0)) }
    }

    override func deliver(_ pending: PendingChanges) {
        guard let elements = state.elements else { return deliverValues(pending) }
        if state.isWholeTable { return deliverTable(elements.table, pending) }
        let affected = AffectedRows(pending.core, pending.changes).rows(elements.table, filter)
        guard isRelevant(elements.table, pending.changes) || !affected.isEmpty else { return }
        let old = shown
        shown = state.rows
        var update = CollectionDifference.between(old, shown)
        let inserted = Set(update.insertions)
        for (position, key) in shown.enumerated()
        where affected.contains(key) && !inserted.contains(position) {
            update.modifications.append(position)
        }
        if update.deletions.isEmpty, update.insertions.isEmpty, update.modifications.isEmpty { return }
        call(update)
    }

    private func isRelevant(_ table: TableID, _ changes: ChangeSet) -> Bool {
        if changes.table(table) != nil { return true }
        if state.reachedTables.contains(where: { changes.table($0) != nil }) { return true }
        switch state.source {
        case .table: return false
        case .list(let reference): return changes.table(reference.id.table) != nil
        case .linking(let target): return changes.table(target.table) != nil
        }
    }

    /// The whole of a class: positions follow from the change set, whose keys are in order.
    private func deliverTable(_ id: TableID, _ pending: PendingChanges) {
        let affected = AffectedRows(pending.core, pending.changes).rows(id, filter)
        let change = pending.changes.table(id)
        guard change != nil || !affected.isEmpty else { return }
        let table = pending.core.table(id)
        var update = CollectionUpdate(deletions: [], insertions: [], modifications: [])
        var insertedKeys: [ObjectKey] = []
        change?.forEachInserted { key in
            insertedKeys.append(key)
            update.insertions.append(table.position(of: key))
        }
        var (inserted, deleted) = (0, 0)
        change?.forEachDeleted { key in
            // Before the change there were the rows of now, less those that are new, plus those that are gone.
            while inserted < insertedKeys.count, insertedKeys[inserted] < key { inserted += 1 }
            update.deletions.append(table.position(of: key) - inserted + deleted)
            deleted += 1
        }
        let new = Set(insertedKeys)
        update.modifications = affected.filter { !new.contains($0) && table.contains($0) }
            .map { table.position(of: $0) }.sorted()
        if update.deletions.isEmpty, update.insertions.isEmpty, update.modifications.isEmpty { return }
        call(update)
    }

    private func deliverValues(_ pending: PendingChanges) {
        guard case .list(let reference) = state.source else { return }
        guard pending.changes.table(reference.id.table)?.state(of: reference.id.key) != .untouched else {
            return
        }
        let old = values
        shown = state.rows
        values = currentValues()
        let update = CollectionDifference.between(old.map(\.hashKey), values.map(\.hashKey))
        if update.deletions.isEmpty, update.insertions.isEmpty { return }
        call(update)
    }
}

extension Cell {
    /// The value as a dictionary key.
    fileprivate var hashKey: String {
        switch self {
        case .null: "n"
        case .word(let word): "w\(word)"
        case .wide(let a, let b): "x\(a).\(b)"
        case .string(let string): "s" + string
        case .bytes(let bytes): "b\(bytes)"
        case .link(let key): "l\(key)"
        }
    }
}
