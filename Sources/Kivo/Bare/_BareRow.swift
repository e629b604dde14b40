import KivoEngine

/// A second accessor of a row, without a class, through which bare values read and write: they can outlive the accessor that
/// holds them. Confined with that accessor.
final class _BareRow: ObjectBase {
    static func of(_ owner: ObjectBase) -> _BareRow {
        let row = _BareRow()
        if let instanceOwner = owner.kivoInstanceOwner { row.kivoHold(instanceOwner) }
        row.kivoRow = owner.kivoRow
        row.kivoTableContext = owner.kivoTableContext
        // Observers of the row are found by the row. The states that belong to the owner instance itself do not apply.
        row.kivoState = owner.kivoState.intersection([.managed, .tracked])
        row.kivoRow.writer = 0
        return row
    }
}
