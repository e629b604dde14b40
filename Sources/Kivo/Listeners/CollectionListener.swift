import KivoEngine

/// A listener of a list, set or map. It follows the recorded operations and never compares contents.
///
/// A map is two sequences with parallel edits: the record of the keys holds insertions and removals, and the record of the values
/// holds assignments to remaining keys. For a list or set, both are the same sequence.
final class CollectionListener: Listener {
    private let members: CollectionReference
    private let values: CollectionReference
    /// Called with nil first, then with each change and the members of the version that was seen last.
    private let call: ((change: ViewChange, old: PersistentSequence)?) -> Void
    private let dependencies: Dependencies?
    private var positions: ElementPositions

    init(
        members: CollectionReference, values: CollectionReference, _ filter: KeyPathFilter?,
        _ call: @escaping ((change: ViewChange, old: PersistentSequence)?) -> Void
    ) {
        self.members = members
        self.values = values
        dependencies = values.context.elements.map {
            values.instance.listeners.filters.dependencies(filter, $0.table, values.instance.catalog)
        }
        positions = ElementPositions(values, dependencies)
        self.call = call
        super.init(hasInitial: true)
    }

    override var interest: Interest {
        let id = values.id
        var interest = Interest.row(
            RowID(table: id.table, key: id.key), columns: Set([members.id.column, id.column]))
        if values.element == .any {
            let dependencies = values.instance.listeners.filters.dependencies(
                ofElementsOf: id, values.instance.catalog)
            interest.membership = Interest.Membership(.row, [dependencies], .key(id.key))
        } else if let dependencies,
            let backlinks = values.instance.catalog.tables[id.table].backlinks[id.column]
        {
            interest.membership = Interest.Membership(
                .owners(backlinks: backlinks), [dependencies], .key(id.key))
        }
        return interest
    }

    override var subject: String { members.name }

    override func callInitial() {
        if members.isInvalidated { take(.ended) }
        noteCall(.initial)
        call(nil)
    }

    override func skip(_ pending: PendingChanges) {
        positions.follow(pending.changes.sequences[values.id]?.resolve())
    }

    override func isAffected(by pending: PendingChanges) -> Bool {
        let id = members.id
        let edits = pending.changes.sequences
        return edits[id] != nil || edits[values.id] != nil || positions.areAffected(pending)
            || pending.changes.table(id.table)?.state(of: id.key) == .deleted
    }

    override func deliver(_ pending: PendingChanges) {
        let id = members.id
        let old = pending.old.table(id.table).sequence(id.key, id.column, members.element)
        if pending.changes.table(id.table)?.state(of: id.key) == .deleted {
            take(.ended)
            positions.forget()
            if old.count == 0 { return }
            noteCall(ListenerCall.Size(deletions: old.count))
            call((ViewChange(deletions: Array(0..<old.count)), old))
            return
        }
        let edit = pending.changes.sequences[id]?.resolve()
        let assignments = pending.changes.sequences[values.id]?.resolve()
        positions.follow(assignments)
        let insertions = edit?.insertions ?? []
        let modifications = positions.modified(assignments?.modifications ?? [], pending, insertions)
        // Clearing is reported even if the observer saw no elements.
        if modifications.isEmpty, edit?.isEmpty ?? true { return }
        if joint != nil { moves = edit?.moves ?? [] }
        let change = ViewChange(
            deletions: edit?.deletions ?? [], insertions: insertions, modifications: modifications,
            moves: edit?.moves ?? [])
        noteCall(ListenerCall.Size(change))
        call((change, old))
    }
}
