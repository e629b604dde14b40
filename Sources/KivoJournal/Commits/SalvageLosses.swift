/// The losses in intact records that depend on damaged ones.
final class SalvageLosses {
    /// A kind of loss in a class or one of its properties.
    struct Subject: Hashable {
        var table: String
        var column: String?
        var kind: SalvageReport.Loss.Kind
    }

    private var counts: [Subject: Int] = [:]
    private var saved: [Subject: Int] = [:]

    func note(_ kind: SalvageReport.Loss.Kind, _ table: String, _ column: String? = nil, count: Int = 1) {
        counts[Subject(table: table, column: column, kind: kind), default: 0] += count
    }

    /// Saves the current losses, so that they can be restored if a record turns out to be invalid.
    func save() { saved = counts }

    func restore() { counts = saved }

    /// The losses, by class and property.
    var losses: [SalvageReport.Loss] {
        counts.map { subject, count in
            SalvageReport.Loss(
                kind: subject.kind, className: subject.table, propertyName: subject.column, count: count)
        }.sorted {
            ($0.className, $0.propertyName ?? "", $0.kind.rawValue)
                < ($1.className, $1.propertyName ?? "", $1.kind.rawValue)
        }
    }
}
