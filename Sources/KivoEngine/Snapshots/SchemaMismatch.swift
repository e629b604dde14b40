/// An error: declared classes differ from the tables with their names.
package struct SchemaMismatch: Error, Equatable, CustomStringConvertible {
    /// A class that differs.
    package struct Difference: Equatable, Sendable {
        /// The class.
        package let table: String
        /// The differences, each as a clause.
        package let clauses: [String]

        /// The differences as a sentence.
        var description: String {
            "Class '\(table)' differs from the realm's: \(clauses.joined(separator: "; "))."
        }
    }

    /// The classes that differ.
    package let differences: [Difference]

    /// Creates an error from the differences, of which there must be at least one.
    package init(_ differences: [Difference]) { self.differences = differences }

    /// The differences, with one sentence for each class.
    package var description: String {
        """
        \(differences.map { $0.description }.joined(separator: " ")) Give the realm's configuration a higher \
        'schemaVersion', and say in its 'migrationBlock' what becomes of the data.
        """
    }
}

extension Catalog {
    /// Checks a table against another declaration, and throws if they differ. See
    /// ``difference(_:columns:isEmbedded:areStored:)``.
    package func check(
        _ table: TableID, columns: [ColumnSpec], isEmbedded: Bool, areStored: Bool = false
    ) throws(SchemaMismatch) {
        let difference = difference(table, columns: columns, isEmbedded: isEmbedded, areStored: areStored)
        if let difference { throw SchemaMismatch([difference]) }
    }

    /// Returns the difference between a table and another declaration, or nil if there is none. All comparisons of schemas, for
    /// classes and for files, use this function.
    ///
    /// - Parameters:
    ///   - columns: the declared columns, in the order of columns. Targets are tables of this catalog.
    ///   - areStored: whether `columns` belong to a file and the table to a class; otherwise the reverse.
    package func difference(
        _ table: TableID, columns: [ColumnSpec], isEmbedded: Bool, areStored: Bool = false
    ) -> SchemaMismatch.Difference? {
        let known = tables[table]
        if known.columns == columns, known.isEmbedded == isEmbedded { return nil }
        let (stored, declared) = areStored ? (columns, known.columns) : (known.columns, columns)
        var clauses: [String] = []
        if known.isEmbedded != isEmbedded {
            let isEmbeddedNow = areStored ? known.isEmbedded : isEmbedded
            clauses.append("it is \(isEmbeddedNow ? "embedded" : "not embedded any more")")
        }
        for column in declared where column.order != .values {
            guard let old = stored.first(where: { $0.name == column.name }) else {
                clauses.append("property '\(column.name)' was added")
                continue
            }
            // A map differs by its keys or by its values. Differences in embedding are reported for the target class.
            let (before, now) = (stored.values(of: column.name), declared.values(of: column.name))
            if old.isLike(column), before.isLike(now) { continue }
            clauses.append("property '\(column.name)' \(Catalog.difference(before ?? old, now ?? column))")
        }
        for column in stored where column.order != .values {
            let isThere = declared.contains { $0.name == column.name }
            if !isThere { clauses.append("property '\(column.name)' was removed") }
        }
        return clauses.isEmpty ? nil : SchemaMismatch.Difference(table: known.name, clauses: clauses)
    }

    /// Returns a description of how a property differs, without a subject.
    private static func difference(_ old: ColumnSpec, _ new: ColumnSpec) -> String {
        var plain = old
        (plain.isIndexed, plain.isPrimaryKey, plain.isOwning) = (
            new.isIndexed, new.isPrimaryKey, new.isOwning
        )
        if !new.canTakeOver(plain) {
            plain.target = new.target
            return new.canTakeOver(plain) ? "links to another class" : "is of another type"
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

extension [ColumnSpec] {
    /// Returns the column of the values of a map.
    fileprivate func values(of map: String) -> ColumnSpec? {
        first { $0.order == .values && $0.propertyName == map }
    }
}

extension ColumnSpec {
    /// Whether two columns are equal, apart from embedding of their targets and from optionality of elements that are objects.
    /// Neither changes what is stored.
    fileprivate func isLike(_ other: ColumnSpec) -> Bool {
        var other = other
        other.isOwning = isOwning
        if element == .link, other.element == .link { other.isOptional = isOptional }
        return self == other
    }
}

extension ColumnSpec? {
    fileprivate func isLike(_ other: ColumnSpec?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let a?, let b?): a.isLike(b)
        default: false
        }
    }
}
