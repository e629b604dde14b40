/// What a salvage could not carry over from records that are intact, because it was built on others that are not.
final class SalvageLosses {
    /// What happened to a class, or a property of it.
    struct Place: Hashable {
        var table: String
        var column: String?
        var kind: SalvageReport.Loss.Kind
    }

    private var counts: [Place: Int] = [:]
    private var saved: [Place: Int] = [:]

    func note(_ kind: SalvageReport.Loss.Kind, _ table: String, _ column: String? = nil, count: Int = 1) {
        counts[Place(table: table, column: column, kind: kind), default: 0] += count
    }

    /// Remembers what was noted so far, to return to it if a record makes no sense after all.
    func save() { saved = counts }

    func restore() { counts = saved }

    /// What was noted, by class and property.
    var losses: [SalvageReport.Loss] {
        counts.map { place, count in
            SalvageReport.Loss(
                kind: place.kind, className: place.table, propertyName: place.column, count: count)
        }.sorted {
            ($0.className, $0.propertyName ?? "", $0.kind.rawValue)
                < ($1.className, $1.propertyName ?? "", $1.kind.rawValue)
        }
    }
}
