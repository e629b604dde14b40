import KivoEngine

/// What a listener is found by: a change that touches nothing of it does not concern the listener.
struct Interest: Sendable {
    /// A row whose own change concerns the listener: of a table, or of a table of backlinks.
    struct Row: Sendable {
        let id: RowID
        /// The columns whose assignment matters, ascending; nil for all. It always matters that the row goes.
        let columns: [Int]?

        /// Whether what happened to the leaf of the row matters.
        func isTouched(by leaf: LeafChange, _ slot: Int) -> Bool {
            guard let columns, !leaf.deleted.contains(slot) else { return true }
            return leaf.columns.contains { columns.contains($0.column) && $0.slots.contains(slot) }
        }
    }

    /// What leads from rows that are affected by a change to those who listen.
    struct Behind: Sendable {
        let group: ListenerGroup.Key
        let member: ListenerGroup.Member
    }

    var row: Row?
    /// A row of another table that concerns the listener as well.
    var otherRow: Row?
    var behind: Behind?

    /// All that concerns the listener is the change of one row.
    static func row(_ id: RowID, columns: some Swift.Sequence<Int>) -> Interest {
        Interest(row: Row(id: id, columns: columns.sorted()))
    }
}
