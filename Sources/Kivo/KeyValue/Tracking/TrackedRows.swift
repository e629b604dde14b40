import KivoEngine

/// The rows of a realm instance of which properties were read inside of `withObservationTracking`. Confined with it.
final class TrackedRows {
    private var rows: [RowID: TrackedReads] = [:]
    /// How many there may be before those are looked for that nobody waits for any more.
    private var limit = TrackedRows.fewRows

    /// What notes that the linking objects of a row were read, by the row of the table of backlinks. Held by those who wait.
    private var results: [RowID: Held] = [:]
    private var resultLimit = TrackedRows.fewRows

    private static let fewRows = 64

    private struct Held {
        weak var result: AnyObject?
    }

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

    /// What notes that linking objects were read, if somebody waits for it.
    func result(of row: RowID) -> AnyObject? { results[row]?.result }

    func keep(_ result: AnyObject, of row: RowID) {
        if results.count >= resultLimit {
            results = results.filter { $0.value.result != nil }
            resultLimit = max(TrackedRows.fewRows, results.count * 2)
        }
        results[row] = Held(result: result)
    }
}
