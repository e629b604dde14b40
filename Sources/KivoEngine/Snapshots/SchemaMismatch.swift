/// A class is declared otherwise than the table of its name.
public struct SchemaMismatch: Error, Equatable, CustomStringConvertible {
    /// The class.
    public let table: String
    /// The differences, each a clause.
    public let differences: [String]

    /// The differences, in a sentence.
    public var description: String {
        """
        Class '\(table)' differs from the realm's: \(differences.joined(separator: "; ")). Until there are migrations, \
        declare it as it was, under this name.
        """
    }
}

extension Catalog {
    /// Throws unless a table is as it is declared elsewhere. The one check of schemas: for classes and for files.
    ///
    /// - Parameters:
    ///   - columns: What is declared, in the order of columns. Targets are tables of this catalog.
    ///   - isStored: Whether `columns` are those of a file, and the table those of a class; else the reverse.
    public func check(
        _ table: TableID, columns: [ColumnSpec], isEmbedded: Bool, areStored: Bool = false
    ) throws(SchemaMismatch) {
        let known = tables[table]
        if known.columns == columns, known.isEmbedded == isEmbedded { return }
        let (stored, declared) = areStored ? (columns, known.columns) : (known.columns, columns)
        var differences: [String] = []
        if known.isEmbedded != isEmbedded {
            let isEmbeddedNow = areStored ? known.isEmbedded : isEmbedded
            differences.append("it is \(isEmbeddedNow ? "embedded" : "not embedded any more")")
        }
        for column in declared where column.order != .values {
            if let old = stored.first(where: { $0.name == column.name }) {
                let isMap = { (name: String, columns: [ColumnSpec]) in
                    columns.first { $0.order == .values && $0.name == name + ".values" }
                }
                let values = (isMap(column.name, stored), isMap(column.name, declared))
                guard old != column || values.0 != values.1 else { continue }
                let now = values.1 ?? column
                let before = values.0 ?? old
                differences.append("property '\(column.name)' \(Catalog.difference(before, now))")
            } else {
                differences.append("property '\(column.name)' was added")
            }
        }
        for column in stored where column.order != .values && !declared.contains(where: { $0.name == column.name }) {
            differences.append("property '\(column.name)' was removed")
        }
        throw SchemaMismatch(table: known.name, differences: differences)
    }

    /// How one property differs, without a subject.
    private static func difference(_ old: ColumnSpec, _ new: ColumnSpec) -> String {
        var plain = old
        (plain.isOptional, plain.isIndexed, plain.isPrimaryKey) = (
            new.isOptional, new.isIndexed, new.isPrimaryKey
        )
        if plain != new {
            plain.target = new.target
            return plain == new ? "links to another class" : "is of another type"
        }
        var changes: [String] = []
        if old.isOptional != new.isOptional { changes.append(new.isOptional ? "optional" : "required") }
        if old.isPrimaryKey != new.isPrimaryKey {
            changes.append(new.isPrimaryKey ? "the primary key" : "not the primary key")
        }
        if old.isIndexed != new.isIndexed { changes.append(new.isIndexed ? "indexed" : "not indexed") }
        return "is \(changes.joined(separator: " and ")) now"
    }
}
