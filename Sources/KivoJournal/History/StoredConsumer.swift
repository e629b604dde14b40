import KivoEngine

/// A demand for changes of the past: that of a named consumer, which says how far it has read, or that of a program which wants to keep
/// some of the past for whoever asks.
package struct StoredConsumer: Equatable, Sendable {
    /// The kind of a demand.
    package enum Kind: UInt64, Sendable {
        /// The changes since a version, of a consumer with a name.
        case consumer
        /// The last commits.
        case commits
        /// The commits of the last days.
        case days
        /// Nothing is kept, whatever consumers have read.
        case nothing
    }

    /// The kind.
    package var kind: Kind
    /// The name of a consumer; empty for other kinds.
    package var name: String
    /// The version up to which a consumer has read, or the number of commits or days.
    package var number: UInt64
    /// The data that the version belongs to: those from which a copy was made have another number.
    package var lineage: UInt64

    /// Creates a demand.
    package init(_ kind: Kind, name: String = "", number: UInt64, lineage: UInt64) {
        (self.kind, self.name, self.number, self.lineage) = (kind, name, number, lineage)
    }

    private static let table = InternalTable(
        name: "$Consumer", columns: [.number("kind"), .number("lineage"), .text("name"), .number("number")])

    /// Returns the demands of a version, in the order in which they were first made.
    package static func all(in snapshot: Snapshot, _ catalog: Catalog) -> [StoredConsumer] {
        rows(in: snapshot, catalog).compactMap(\.consumer)
    }

    /// Returns the demands on the data with a number. Those of the data from which a copy was made are left out.
    package static func all(
        in snapshot: Snapshot, _ catalog: Catalog, lineage: UInt64
    ) -> [StoredConsumer] {
        all(in: snapshot, catalog).filter { $0.lineage == lineage }
    }

    private static func rows(
        in snapshot: Snapshot, _ catalog: Catalog
    ) -> [(key: ObjectKey, consumer: StoredConsumer?)] {
        guard let id = table.find(in: catalog) else { return [] }
        let rows = snapshot.table(id)
        var found: [(ObjectKey, StoredConsumer?)] = []
        rows.forEachKey { key in
            let row = InternalRow(table: rows, key: key)
            // A later version may know other kinds.
            let consumer = Kind(rawValue: row.number(0)).map {
                StoredConsumer($0, name: row.text(2) ?? "", number: row.number(3), lineage: row.number(1))
            }
            found.append((key, consumer))
        }
        return found
    }

    /// Adds the table in which demands are stored, unless it exists.
    package static func defineTable(in catalog: inout Catalog) throws {
        try table.define(in: &catalog)
    }

    /// Stores the demand in place of one of the same kind and name. The table has to exist.
    package func write(to transaction: WriteTransaction) {
        guard let id = Self.table.find(in: transaction.catalog) else { return }
        let known = Self.rows(in: transaction.snapshot, transaction.catalog).first { isSame($0.consumer) }
        if known?.consumer == self { return }
        let key = known?.key ?? transaction.insert(into: id)
        let cells: [Cell] = [.word(kind.rawValue), .word(lineage), .string(name), .word(number)]
        for (column, cell) in cells.enumerated() { transaction.set(cell, id, key, column) }
    }

    /// Removes the demand of the same kind and name.
    package func remove(from transaction: WriteTransaction) {
        guard let id = Self.table.find(in: transaction.catalog) else { return }
        let rows = Self.rows(in: transaction.snapshot, transaction.catalog).filter { isSame($0.consumer) }
        transaction.delete(rows.map(\.key), from: id)
    }

    private func isSame(_ other: StoredConsumer?) -> Bool { kind == other?.kind && name == other?.name }
}

extension [StoredConsumer] {
    /// Whether no changes of the past have to be kept, wherever consumers are.
    package var demandNothing: Bool { isEmpty || contains { $0.kind == .nothing } }
}
