import KivoEngine

/// The changes between two versions that a realm keeps over compaction, which leaves out the commits themselves.
///
/// The changes of a realm follow each other without gaps, and the last ones lead to the version with which the compacted file begins.
package struct StoredChanges: Sendable {
    /// The version before the changes, and the one after them.
    package var start: UInt64, end: UInt64
    /// The number of commits that are composed.
    package var count: UInt64
    /// The time of the last of them, in microseconds since 1970; 0 if it is not known.
    package var microseconds: Int64
    /// The label and the author, where all commits have the same ones.
    package var label: CommitLabel
    /// Whether the commit is a migration, whose changes are not known.
    package var isMigration: Bool
    /// Where the changes are stored; nil before they are.
    private var key: ObjectKey?
    /// The encoded changes before they are stored.
    private var encoded: [UInt8] = []

    /// Creates changes to be stored. Without bytes nothing has changed.
    package init(
        _ start: UInt64, _ end: UInt64, count: UInt64, microseconds: Int64, label: CommitLabel,
        isMigration: Bool = false, _ encoded: [UInt8] = []
    ) {
        (self.start, self.end, self.count, self.microseconds) = (start, end, count, microseconds)
        (self.label, self.isMigration, self.encoded) = (label, isMigration, encoded)
    }

    private static let table = InternalTable(
        name: "$Changes",
        columns: [
            .text("author"), .bytes("bytes"), .number("count"), .number("end"), .number("isMigration"),
            .text("label"), .number("lineage"), .number("start"), .number("time"),
        ])

    /// Returns the changes of a version in the order of their versions, without those of other data. The encoded ones are read only by
    /// ``bytes(in:_:)``.
    package static func all(
        in snapshot: Snapshot, _ catalog: Catalog, lineage: UInt64
    ) -> [StoredChanges] {
        guard let id = table.find(in: catalog) else { return [] }
        let rows = snapshot.table(id)
        var found: [StoredChanges] = []
        rows.forEachKey { key in
            let row = InternalRow(table: rows, key: key)
            guard row.number(6) == lineage else { return }
            var changes = StoredChanges(
                row.number(7), row.number(3), count: row.number(2),
                microseconds: Int64(bitPattern: row.number(8)),
                label: CommitLabel(row.text(5), author: row.text(0)), isMigration: row.number(4) != 0, [])
            changes.key = key
            found.append(changes)
        }
        return found.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    /// Whether nothing but rows of Kivo itself has changed: all versions from the start to the end have the same objects.
    package var isEmpty: Bool { count == 0 && !isMigration }

    /// Returns the version to which the changes of a version lead; nil if there are none.
    package static func end(in snapshot: Snapshot, _ catalog: Catalog, lineage: UInt64) -> UInt64? {
        guard let id = table.find(in: catalog) else { return nil }
        let rows = snapshot.table(id)
        var end: UInt64?
        rows.forEachKey { key in
            let row = InternalRow(table: rows, key: key)
            if row.number(6) == lineage { end = max(end ?? 0, row.number(3)) }
        }
        return end
    }

    /// Returns the encoded changes, which are empty if nothing has changed.
    package func bytes(in snapshot: Snapshot, _ catalog: Catalog) -> [UInt8] {
        guard let key, let id = Self.table.find(in: catalog) else { return encoded }
        return InternalRow(table: snapshot.table(id), key: key).bytes(1)
    }

    /// Adds the table in which changes are stored, unless it exists.
    package static func defineTable(in catalog: inout Catalog) throws {
        try table.define(in: &catalog)
    }

    /// Stores changes in place of all that are stored. Those that are among them stay as they are.
    package static func replaceAll(
        with changes: [StoredChanges], in transaction: WriteTransaction, lineage: UInt64
    ) {
        guard let id = table.find(in: transaction.catalog) else { return }
        let kept = Set(changes.compactMap(\.key))
        var removed: [ObjectKey] = []
        transaction.table(id).forEachKey { if !kept.contains($0) { removed.append($0) } }
        transaction.delete(removed, from: id)
        for changes in changes where changes.key == nil {
            let key = transaction.insert(into: id)
            func text(_ text: String?) -> Cell { text.map { .string($0) } ?? .null }
            let cells: [Cell] = [
                text(changes.label.author), .bytes(changes.encoded), .word(changes.count), .word(changes.end),
                .word(changes.isMigration ? 1 : 0), text(changes.label.label), .word(lineage),
                .word(changes.start), .word(UInt64(bitPattern: changes.microseconds)),
            ]
            for (column, cell) in cells.enumerated() { transaction.set(cell, id, key, column) }
        }
    }
}
