import KivoEngine
import KivoObserving

/// The rows of a realm instance with properties that were read inside `withObservationTracking`. Confined with the instance.
final class TrackedRows {
    private var rows: [RowID: TrackedReads] = [:]
    /// The number of rows at which the rows without waiting observers are looked for and released.
    private var limit = TrackedRows.fewRows

    /// The objects that record reads of linking objects, by the row of the table of backlinks. The waiting observers hold them.
    private var results: [RowID: Held] = [:]
    private var resultLimit = TrackedRows.fewRows

    private static let fewRows = 64

    private struct Held {
        weak var result: AnyObject?
    }

    /// The key paths and stand-ins of the classes whose rows were read.
    private var classes: [ObjectIdentifier: TrackedClass] = [:]

    /// Returns the tracked reads of a row, created on first use.
    func reads(of key: ObjectKey, _ context: TableContext) -> TrackedReads {
        let row = RowID(table: context.table, key: key)
        if let known = rows[row] { return known }
        if rows.count >= limit {
            for reads in Array(rows.values) { reads.releaseUnread() }
            limit = max(TrackedRows.fewRows, rows.count * 2)
        }
        let instance = context.instance
        // The instance holds the rows, and they hold the reads.
        let made = TrackedReads(trackedClass(context)) { reads in
            KeyValueObservations(reads, KeylessClass.row, host: RowHost(reads, row, instance))
        } whenUnread: { [unowned(unsafe) self] in
            rows[row] = nil
        }
        rows[row] = made
        return made
    }

    private func trackedClass(_ context: TableContext) -> TrackedClass {
        let type = ObjectIdentifier(context.info.type)
        if let known = classes[type] { return known }
        // Reads in the class's initialiser do not belong to the caller.
        let made = TrackedClass(standIn: ReadProbe.withoutNoting { context.makeObject() })
        classes[type] = made
        return made
    }

    /// Returns the object that records reads of linking objects, or nil if no observer waits for their changes.
    func result(of row: RowID) -> AnyObject? { results[row]?.result }

    func keep(_ result: AnyObject, of row: RowID) {
        if results.count >= resultLimit {
            results = results.filter { $0.value.result != nil }
            resultLimit = max(TrackedRows.fewRows, results.count * 2)
        }
        results[row] = Held(result: result)
    }
}
