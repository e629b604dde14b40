import KivoEngine

/// Classes that become embedded at the end of a migration: each of their objects gets exactly one owner.
extension MigrationRun {
    /// Makes classes embedded that were not. Deletes their objects without an owner, and copies those with several for each further
    /// owner, as realm-swift does.
    ///
    /// - Throws: ``Realm/Error`` if other values than links, lists and maps lead to the objects, or if they would own each other.
    func embed() throws {
        if becomingEmbedded.isEmpty { return }
        for table in becomingEmbedded { try checkOrigins(of: table) }
        try checkCircles()
        giveOwners()
        for table in becomingEmbedded { setEmbedded(table, true) }
        _ = instance
        endStep()
    }

    /// Throws if values of any type, or sets, contain links to objects of a table: these cannot own objects.
    private func checkOrigins(of table: TableID) throws {
        let spec = catalog.tables[table]
        let others = spec.incoming.filter { origins in
            let column = catalog.tables[origins.table].columns[origins.column]
            return column.isAny || column.isSet
        }
        if others.isEmpty { return }
        var found: Origins?
        head.snapshot.table(table).forEachKeyWhile { key in
            found = others.first { !head.snapshot.backlinks($0.backlinks, of: key).isEmpty }
            return found == nil
        }
        guard let found else { return }
        let column = catalog.tables[found.table].columns[found.column]
        throw refusal(
            spec.name,
            "\(column.isAny ? "values of any type" : "sets") link to its objects, and cannot own them")
    }

    /// Throws if objects would own each other, or themselves.
    private func checkCircles() throws {
        let snapshot = head.snapshot
        // Whether the links of a row are being followed. Rows that were left are on no circle.
        var isOpen: [RowID: Bool] = [:]
        for table in becomingEmbedded {
            var stack: [(row: RowID, isLeft: Bool)] = []
            snapshot.table(table).forEachKey { stack.append((RowID(table: table, key: $0), false)) }
            while let (row, isLeft) = stack.popLast() {
                if isLeft {
                    isOpen[row] = false
                } else if let open = isOpen[row] {
                    if open {
                        throw refusal(
                            catalog.tables[table].name, "some of its objects belong to each other in a circle"
                        )
                    }
                } else {
                    isOpen[row] = true
                    stack.append((row, true))
                    forEachLink(of: row, snapshot) { stack.append(($0, false)) }
                }
            }
        }
    }

    /// Deletes or copies objects until each has one owner. What a deleted or copied object links to is visited again.
    private func giveOwners() {
        let transaction = instance.requireTransaction("migrate")
        var rest: [RowID] = []
        for table in becomingEmbedded {
            transaction.table(table).forEachKey { rest.append(RowID(table: table, key: $0)) }
        }
        while let row = rest.popLast() {
            guard transaction.table(row.table).contains(row.key) else { continue }
            let places = places(of: row, transaction)
            if places.count == 1 { continue }
            for (table, key) in transaction.deletionClosure([row.key], row.table) {
                forEachLink(of: RowID(table: table, key: key), transaction.snapshot) { target in
                    if becomingEmbedded.contains(target.table) { rest.append(target) }
                }
            }
            if places.isEmpty {
                transaction.delete([row.key], from: row.table)
            } else {
                for place in places.dropFirst() {
                    setLink(to: copy(of: row, transaction), at: place, transaction)
                }
            }
        }
        endStep()
    }

    /// A property, or a position in a list or map, that links to an object.
    private struct Place {
        let id: CollectionID
        /// The position; nil for a property that is a link.
        let position: Int?
    }

    /// Returns all places that link to a row, in the order of the classes and objects that have them.
    private func places(of row: RowID, _ transaction: WriteTransaction) -> [Place] {
        var places: [Place] = []
        for origins in catalog.tables[row.table].incoming {
            let column = catalog.tables[origins.table].columns[origins.column]
            var last: ObjectKey = 0
            transaction.snapshot.backlinks(origins.backlinks, of: row.key).forEach { key in
                // A list or map that has the object several times is there as often.
                if key == last { return }
                last = key
                let id = CollectionID(table: origins.table, column: origins.column, key: key)
                if column.kind == .link {
                    places.append(Place(id: id, position: nil))
                } else {
                    places += transaction.positions(of: [row.key], in: id).map { Place(id: id, position: $0) }
                }
            }
        }
        return places
    }

    /// Copies a row with all that it owns.
    private func copy(of row: RowID, _ transaction: WriteTransaction) -> ObjectKey {
        let context = instance.classes.dynamicContext(of: row.table)
        let adder = instance.adder(transaction, .error)
        return adder.create(context, context.accessor(row.key)).kivoRow.key
    }

    private func setLink(to key: ObjectKey, at place: Place, _ transaction: WriteTransaction) {
        if let position = place.position {
            transaction.replaceElement(.link(key), at: position, in: place.id)
        } else {
            transaction.set(.link(key), place.id.table, place.id.key, place.id.column)
        }
    }

    /// Calls `body` with each embedded object, or one that becomes embedded, to which a row links.
    private func forEachLink(of row: RowID, _ snapshot: Snapshot, _ body: (RowID) -> Void) {
        for (index, column) in catalog.tables[row.table].columns.enumerated() {
            guard let target = column.target,
                catalog.tables[target].isEmbedded || becomingEmbedded.contains(target)
            else { continue }
            snapshot.forEachTarget(of: row.key, row.table, index, catalog) {
                body(RowID(table: target, key: $0))
            }
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

extension ColumnSpec {
    /// Whether the column is a set of objects.
    fileprivate var isSet: Bool { kind == .sequence && element == .link && order == .sorted }
}
