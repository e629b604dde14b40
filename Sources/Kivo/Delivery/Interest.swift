import KivoEngine

/// The rows and paths by which a listener is found. A change that touches none of them does not concern the listener.
struct Interest: Sendable {
    /// A row of a table, or of a table of backlinks, whose own change concerns the listener.
    struct Row: Sendable {
        let id: RowID
        /// The columns whose assignment matters, ascending, or nil for all. The deletion of the row always matters.
        let columns: [Int]?

        /// Whether a change to the leaf of the row matters.
        func isTouched(by leaf: LeafChange, _ slot: Int) -> Bool {
            guard let columns, !leaf.deleted.contains(slot) else { return true }
            return leaf.columns.contains { columns.contains($0.column) && $0.slots.contains(slot) }
        }
    }

    /// The route to a listener from the rows that a change affects.
    struct Behind: Sendable {
        let group: ListenerGroup.Key
        let member: ListenerGroup.Member
    }

    var row: Row?
    /// A row of another table whose change concerns the listener as well.
    var otherRow: Row?
    var behind: Behind?

    /// Returns the interest of a listener that only changes of one row concern.
    static func row(_ id: RowID, columns: some Swift.Sequence<Int>) -> Interest {
        Interest(row: Row(id: id, columns: columns.sorted()))
    }
}
