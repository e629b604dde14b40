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

    /// The route from an affected row to listeners.
    enum Route: Hashable, Sendable {
        /// To the listeners of the row itself.
        case row
        /// To the listeners of a collection that holds the row. The owner of the collection is among the backlinks of the row.
        case owners(backlinks: TableID)
        /// To the listeners of the origins of an object that the row refers to.
        case targets(Origins)
        /// To the listeners of the rows of a table for which a condition holds.
        case conditions(TableID)
    }

    /// A set of listeners that changes along the same paths concern, and that the same route leads to.
    struct Group: Hashable, Sendable {
        let route: Route
        /// The paths along which changes count.
        let dependencies: [Dependencies]
    }

    /// The key or the bounds by which a listener is found in its group.
    enum Member: Sendable {
        /// The key of the row, the owner, or the object that is referred to.
        case key(ObjectKey)
        /// The bounds of a column's value, or nil if the condition bounds no column.
        case bounds(ColumnBounds?)
    }

    /// The group of a listener that changes of other rows concern as well, and how the listener is found in it.
    struct Membership: Sendable {
        let group: Group
        let member: Member

        init(_ route: Route, _ dependencies: [Dependencies], _ member: Member) {
            group = Group(route: route, dependencies: dependencies)
            self.member = member
        }
    }

    var row: Row?
    /// A row of another table whose change concerns the listener as well.
    var otherRow: Row?
    var membership: Membership?

    /// Returns the interest of a listener that only changes of one row concern.
    static func row(_ id: RowID, columns: some Swift.Sequence<Int>) -> Interest {
        Interest(row: Row(id: id, columns: columns.sorted()))
    }
}
