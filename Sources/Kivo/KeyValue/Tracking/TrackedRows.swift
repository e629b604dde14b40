import KivoEngine

/// The rows of a realm instance of which properties were read inside of `withObservationTracking`. Confined with it.
final class TrackedRows {
    private var rows: [RowID: TrackedReads] = [:]
    /// How many there may be before those are looked for that nobody waits for any more.
    private var limit = TrackedRows.fewRows

    private static let fewRows = 64

    /// What was read of a row.
    func reads(of row: RowID, _ instance: RealmInstance) -> TrackedReads {
        if let known = rows[row] { return known }
        if rows.count >= limit {
            for reads in Array(rows.values) { reads.releaseUnread() }
            limit = max(TrackedRows.fewRows, rows.count * 2)
        }
        let made = TrackedReads(row, instance)
        rows[row] = made
        return made
    }

    func remove(_ row: RowID) { rows[row] = nil }
}
