import KivoEngine

extension RealmInstance {
    /// Deletes one object.
    func delete(_ object: ObjectBase) {
        let transaction = requireTransaction("delete an object of class '\(type(of: object).className())'")
        checkDeletable(object)
        delete([object.kivoRow.key], object.kivoContext.table, transaction)
    }

    private func checkDeletable(_ object: ObjectBase) {
        guard object.kivoInstance === self else {
            trap(
                "Cannot delete an object of class '\(type(of: object).className())' that is not in this realm."
            )
        }
        object.locateOrTrap()
    }

    func delete(_ objects: [ObjectBase]) {
        let transaction = requireTransaction(
            "delete \(objects.first.map { "an object of class '\(type(of: $0).className())'" } ?? "objects")")
        var keys: [TableID: [ObjectKey]] = [:]
        for object in objects {
            checkDeletable(object)
            keys[object.kivoContext.table, default: []].append(object.kivoRow.key)
        }
        for (table, keys) in keys.sorted(by: { $0.key < $1.key }) { delete(keys, table, transaction) }
    }

    func delete(_ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction) {
        rowNotifier.deleting(self, keys, table, transaction) {
            transaction.delete(keys, from: table)
            reader.pointee.mutations += 1
            advanceGeneration()
        }
    }

    func deleteAll() {
        let transaction = requireTransaction("delete all objects")
        if rowNotifier.isEmpty {
            transaction.deleteAll()
            reader.pointee.mutations += 1
            return advanceGeneration()
        }
        for (id, spec) in catalog.tables.enumerated() where !spec.isDerived && !spec.isInternal {
            var keys: [ObjectKey] = []
            transaction.table(id).forEachKey { keys.append($0) }
            delete(keys, id, transaction)
        }
    }
}
