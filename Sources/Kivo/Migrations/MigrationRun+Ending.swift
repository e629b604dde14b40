import KivoEngine

extension MigrationRun {
    /// Completes the migration after the block has returned: removes unused columns, tables and embedded objects, and checks the
    /// conditions on the whole data.
    func finish() throws {
        endStep()
        if let error { throw error }
        for (table, names) in hidden {
            var shape = nextShape(of: table)
            let kept = shape.columns.indices.filter { !names.contains(shape.columns[$0].propertyName) }
            shape.sources = kept.map { shape.sources[$0] }
            shape.columns = kept.map { shape.columns[$0] }
            redefine(shape)
        }
        for table in emptied where catalog.tables[table].incoming.allSatisfy(isOfNoUse) { drop(table) }
        // Begins a step if changes are scheduled, and changes rows in it.
        deleteBereft()
        try checkPrimaryKeys()
        try embed()
        if let error { throw error }
    }

    /// Returns whether a column that links to a dropped table belongs to such a table itself, or can link to other tables.
    private func isOfNoUse(_ origins: Origins) -> Bool {
        emptied.contains(origins.table) || catalog.tables[origins.table].columns[origins.column].isAny
    }

    /// Deletes embedded objects that lost their owner with a property.
    private func deleteBereft() {
        let instance = instance
        let transaction = instance.requireTransaction("migrate")
        for table in bereft.sorted() where catalog.tables[table].isEmbedded {
            var lost: [ObjectKey] = []
            transaction.table(table).forEachKey { key in
                if transaction.snapshot.owner(of: RowID(table: table, key: key), catalog) == nil {
                    lost.append(key)
                }
            }
            transaction.delete(lost, from: table)
        }
        endStep()
    }

    /// Throws if two objects have the same primary key.
    private func checkPrimaryKeys() throws {
        let snapshot = head.snapshot
        for table in rekeyed.sorted() {
            let spec = catalog.tables[table]
            guard let column = spec.columns.firstIndex(where: \.isPrimaryKey),
                let ordinal = spec.indexOrdinal(of: column)
            else { continue }
            let kind = spec.columns[column].kind
            let rows = snapshot.table(table)
            var duplicate: Cell?
            rows.forEachKeyWhile { key in
                let cell = rows.cell(key, column, kind)
                if rows.firstKey(index: ordinal, column: column, kind: kind, equals: cell) != key {
                    duplicate = cell
                }
                return duplicate == nil
            }
            guard let duplicate else { continue }
            throw Realm.Error(
                .invalidInput,
                """
                Primary key '\(spec.name).\(name(of: spec.columns[column], in: spec))' has the value '\(duplicate.text)' more \
                than once after the migration: give each object its own in the 'migrationBlock', or delete those that are \
                too many. The file is as it was.
                """, fileURL: store.configuration.fileURL)
        }
    }

    private func name(of column: ColumnSpec, in spec: TableSpec) -> String {
        byName[spec.name]?.storedProperties.first { $0.columnName == column.name }?.name ?? column.name
    }
}

extension MigrationStep {
    /// Whether the step changes nothing.
    var isNothing: Bool { embedded.isEmpty && redefined.isEmpty && dropped.isEmpty && changes.isEmpty }
}
