import KivoEngine

/// A second accessor of a row, of no class: bare values read and write through it, since they outlive the accessor that
/// holds them. Confined with that.
final class _BareRow: ObjectBase {
    static func of(_ owner: ObjectBase) -> _BareRow {
        let row = _BareRow()
        if let instanceOwner = owner.kivoInstanceOwner { row.kivoHold(instanceOwner) }
        row.kivoRow = owner.kivoRow
        // Whoever observes the row is found by it; what is noted of the owner itself is not true of this.
        row.kivoRow.state &= RowReference.managed | RowReference.tracked
        row.kivoRow.writer = 0
        row.kivoRow.holdsObjects = false
        return row
    }
}
