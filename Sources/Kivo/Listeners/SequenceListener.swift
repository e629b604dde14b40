import KivoEngine

/// A change of a collection, as its observers are told.
struct CollectionUpdate {
    var deletions: [Int]
    var insertions: [Int]
    var modifications: [Int]

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// An observer of a list or set: driven by the operations that were recorded, never by comparing contents.
final class SequenceListener: Listener {
    private let reference: CollectionReference
    private let call: (CollectionUpdate?) -> Void
    private var count: Int
    private var isDead = false
    private var positions: ElementPositions

    init(
        _ reference: CollectionReference, _ filter: KeyPathFilter?,
        _ call: @escaping (CollectionUpdate?) -> Void
    ) {
        self.reference = reference
        positions = ElementPositions(reference, filter)
        self.call = call
        count = reference.sequence.count
        super.init(reference.instance, hasInitial: true)
    }

    override func callInitial() {
        count = reference.sequence.count
        isDead = reference.isInvalidated
        call(nil)
    }

    override func skip(_ pending: PendingChanges) {
        count = reference.sequence.count
        positions.follow(pending.changes.sequences[reference.id]?.resolve())
    }

    override func deliver(_ pending: PendingChanges) {
        guard !isDead else { return }
        let id = reference.id
        let oldCount = count
        count = reference.sequence.count
        if pending.changes.table(id.table)?.state(of: id.key) == .deleted {
            isDead = true
            positions.forget()
            call(CollectionUpdate(deletions: Array(0..<oldCount), insertions: [], modifications: []))
            return
        }
        let change = pending.changes.sequences[id]?.resolve()
        positions.follow(change)
        let modifications = positions.modified(
            change?.modifications ?? [], pending, change?.insertions ?? [])
        if modifications.isEmpty, change?.isEmpty ?? true { return }
        call(
            CollectionUpdate(
                deletions: change?.deletions ?? [], insertions: change?.insertions ?? [],
                modifications: modifications))
    }
}
