import KivoEngine

extension MigrationRun {
    /// Completes the migration after the block has returned: removes unused columns, tables and embedded objects, and checks the
    /// conditions on the whole data.
    func finish() throws {
        endStep()
        if let error { throw error }
        for (table, names) in hidden {
            var shape = nextShape(of: table)
            let kept = shape.columns.indices.filter { !names.contains(shape.columns[$0].propertyColumnName) }
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

    // MARK: Embedded objects

    /// Makes classes embedded that were not. Throws unless each of their objects has exactly one owner.
    private func embed() throws {
        if becomingEmbedded.isEmpty { return }
        let snapshot = head.snapshot
        for table in becomingEmbedded { try checkOwners(of: table, snapshot) }
        for table in becomingEmbedded { setEmbedded(table, true) }
        for table in becomingEmbedded { try checkCircles(of: table, snapshot) }
        _ = instance
        endStep()
    }

    private func checkOwners(of table: TableID, _ snapshot: Snapshot) throws {
        let spec = catalog.tables[table]
        var (lost, shared, any) = (0, 0, 0)
        snapshot.table(table).forEachKey { key in
            var count = 0
            for origins in spec.incoming {
                let links = snapshot.backlinks(origins.backlinks, of: key).count
                if catalog.tables[origins.table].columns[origins.column].isAny {
                    any += links
                } else {
                    count += links
                }
            }
            if count == 0 { lost += 1 }
            if count > 1 { shared += 1 }
        }
        let reasons = [
            lost > 0 ? "\(lost) of its objects belong to nothing" : nil,
            shared > 0 ? "\(shared) of its objects are linked to from more than one place" : nil,
            any > 0 ? "values of any type link to its objects" : nil,
        ].compactMap { $0 }
        if reasons.isEmpty { return }
        throw refusal(spec.name, reasons.joined(separator: ", and "))
    }

    /// Throws if objects would own each other, or themselves.
    private func checkCircles(of table: TableID, _ snapshot: Snapshot) throws {
        var known: Set<ObjectKey> = []
        var isCircle = false
        snapshot.table(table).forEachKeyWhile { key in
            var path: Set<RowID> = []
            var row: RowID? = RowID(table: table, key: key)
            while let next = row {
                if next.table == table, known.contains(next.key) { break }
                if !path.insert(next).inserted {
                    isCircle = true
                    break
                }
                row = catalog.tables[next.table].isEmbedded ? snapshot.owner(of: next, catalog)?.row : nil
            }
            for row in path where row.table == table { known.insert(row.key) }
            return !isCircle
        }
        if isCircle {
            throw refusal(catalog.tables[table].name, "some of its objects belong to each other in a circle")
        }
    }

    private func refusal(_ name: String, _ why: String) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            """
            Class '\(name)' cannot become embedded: \(why). Put this right in the 'migrationBlock'. The file is as it was.
            """, fileURL: store.configuration.fileURL)
    }
}

extension MigrationStep {
    /// Whether the step changes nothing.
    var isNothing: Bool { embedded.isEmpty && redefined.isEmpty && dropped.isEmpty && changes.isEmpty }
}
