import KivoEngine

/// A change of a collection, as its observers are told.
struct CollectionUpdate {
    var deletions: [Int]
    var insertions: [Int]
    var modifications: [Int]

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// An observer of a list or set: driven by the operations that were recorded, never by comparing contents.
final class SequenceNotifier: Notifier {
    private let reference: CollectionReference
    private let filter: KeyPathFilter?
    private let call: (CollectionUpdate?) -> Void
    private var count: Int
    private var isDead = false
    /// Where the objects of a list are in it, from the first time that one of them changed.
    private var occurrences: OccurrenceIndex?

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

    override func skip(_ pending: PendingChanges) {
        count = reference.sequence.count
        if let change = pending.changes.sequences[reference.id] { follow(change.resolve()) }
    }

    override func deliver(_ pending: PendingChanges) {
        guard !isDead else { return }
        let id = reference.id
        let oldCount = count
        count = reference.sequence.count
        if pending.changes.table(id.table)?.state(of: id.key) == .deleted {
            isDead = true
            occurrences = nil
            call(CollectionUpdate(deletions: Array(0..<oldCount), insertions: [], modifications: []))
            return
        }
        let change = pending.changes.sequences[id]?.resolve()
        if let change { follow(change) }
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

    private func follow(_ change: CollectionChanges) { occurrences?.apply(change, reference.sequence) }

    /// The positions of elements that stayed and whose objects count as modified.
    private func modifiedElements(
        _ elements: TableContext, _ pending: PendingChanges, _ insertions: [Int]
    ) -> [Int] {
        let id = reference.id
        guard let backlinks = pending.core.catalog.tables[id.table].backlinks[id.column] else { return [] }
        let snapshot = pending.core.snapshot
        let created = pending.changes.table(elements.table)
        let affected = AffectedRows(pending.core, pending.changes).rows(elements.table, filter).filter {
            created?.state(of: $0) != .inserted && snapshot.backlinks(backlinks, of: $0).contains(id.key)
        }
        guard !affected.isEmpty else { return [] }
        let inserted = Set(insertions)
        var positions: [Int] = []
        for key in affected {
            forEachPosition(of: key) { if !inserted.contains($0) { positions.append($0) } }
        }
        return positions
    }

    private func forEachPosition(of key: ObjectKey, _ body: (Int) -> Void) {
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
