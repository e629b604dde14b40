/// The result of a transaction: a new version and its changes.
@usableFromInline package struct Commit: Sendable {
    /// The transaction's number, which its blocks contain.
    package var id: UInt64
    /// The new version.
    package var snapshot: Snapshot
    /// The changes of the transaction.
    package var changes: RowChangeSet
    /// The blocks and values that the new version no longer reaches. They are freed with the last version that does.
    package var retired: RetireList

    /// Creates a commit.
    package init(id: UInt64, snapshot: Snapshot, changes: RowChangeSet, retired: RetireList) {
        (self.id, self.snapshot, self.changes, self.retired) = (id, snapshot, changes, retired)
    }
}

extension WriteTransaction {
    /// Returns the changes so far. O(touched leaves).
    package func changeSet() -> RowChangeSet {
        touchOwnersOfContainers()
        var changes = RowChangeSet()
        touched.sort { ($0.table, $0.firstKey) < ($1.table, $1.firstKey) }
        for entry in touched {
            guard let change = change(of: entry.leaf) else { continue }
            if catalog.tables[entry.table].isDerived {
                WriteTransaction.add(change, entry.table, &changes.backlinks)
            } else {
                WriteTransaction.add(change, entry.table, &changes.tables)
            }
        }
        for tracker in trackers { changes.sequences[tracker.id] = tracker.change }
        return changes
    }

    private static func add(_ leaf: LeafChange, _ table: TableID, _ tables: inout [TableChange]) {
        if tables.last?.table == table {
            tables[tables.count - 1].add(leaf)
        } else {
            tables.append(TableChange(table: table, leaves: [leaf]))
        }
    }

    private func change(of leaf: Leaf) -> LeafChange? {
        var change = LeafChange(
            block: leaf.block, inserted: leaf.keyBits(of: leaf.inserted),
            deleted: leaf.keyBits(of: leaf.deleted), columns: [])
        let hidden = leaf.inserted | leaf.deleted
        for column in 0..<leaf.columnCount {
            let buffer = leaf.column(column)
            guard buffer.owner == memory.id else { continue }
            let slots = (buffer.dirty & leaf.occupied).subtracting(hidden)
            if !slots.isEmpty { change.columns.append(.init(column: column, slots: leaf.keyBits(of: slots))) }
        }
        return change.isEmpty ? nil : change
    }

    /// Ends the transaction. The snapshot of the returned commit is the newest version; cached addresses of rows may be stale.
    package func commit(_ changes: RowChangeSet) -> Commit {
        seal()
        return finish(changes)
    }

    /// Ends writing. From here on the snapshot can be read as a version, and another transaction can build on it, but everything
    /// can still be undone. Call ``finish(_:)`` or ``undo()`` next.
    package func seal() {
        prune()
        checkInvariants()
    }

    /// Completes a sealed transaction, which can then no longer be undone.
    package func finish(_ changes: RowChangeSet) -> Commit {
        Commit(id: memory.id, snapshot: snapshot, changes: changes, retired: memory.commit())
    }

    /// Removes leaves without rows from their trees, and packs sparse leaves.
    private func prune() {
        for entry in touched {
            let leaf = entry.leaf
            guard leaf.form.contains(.edited) else { continue }
            if leaf.occupied.isEmpty {
                let header = writableHeader(entry.table)
                removeLeaf(
                    header.leafIndex(of: entry.firstKey), at: header.rootSlot, level: header.height, leaf)
                if header.root == nil { header.height = 0 }
            } else if leaf.isSparse {
                pack(leaf, entry.table)
            }
        }
    }

    private func removeLeaf(
        _ leafIndex: Int, at slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>, level: Int, _ leaf: Leaf
    ) {
        guard let block = NodeSlot.loadedNode(slot) else { return }
        if level == 0 {
            leaf.retire(memory)
            slot.pointee = nil
            return
        }
        let node = InnerNode(base: block)
        removeLeaf(
            leafIndex, at: node.children + InnerNode.childIndex(leafIndex, level: level), level: level - 1,
            leaf)
        if !(0..<InnerNode.fanout).contains(where: { node.children[$0] != nil }) {
            memory.retire(block)
            slot.pointee = nil
        }
    }

    /// Ends the transaction and releases everything that it created; the version before stays complete. Returns, for each table
    /// that was written, the key below which no key may be allocated again.
    package func cancel() -> [TableID: ObjectKey] {
        let floors = usedKeyFloors
        undo()
        reader.pointee.generation += 1
        return floors
    }

    /// The key of each written table below which no key may be allocated again if the transaction is cancelled.
    package var usedKeyFloors: [TableID: ObjectKey] {
        var floors = keyFloors
        for table in Set(touched.map { $0.table }) {
            floors[table] = max(floors[table] ?? 0, snapshot.table(table).nextKey)
        }
        return floors
    }

    /// Releases everything that the transaction created, even if it is sealed. Its snapshot, and any that was built on it, must
    /// no longer be read. The version before stays complete. The state of the reader is not changed.
    package func undo() {
        for entry in touched {
            let leaf = entry.leaf
            for (index, column) in catalog.tables[entry.table].columns.enumerated()
            where column.kind == .string || column.kind == .bytes || column.kind == .any {
                let buffer = leaf.column(index)
                guard buffer.owner == memory.id else { continue }
                let stored = (buffer.dirty | leaf.inserted) & leaf.occupied
                stored.forEach { buffer.ownedBits($0, column.kind)?.release() }
            }
        }
        releaseElements()
        memory.cancel()
    }
}

extension WriteTransaction {
    /// Carries out a transaction without accessors of rows, for example when a log is replayed.
    ///
    /// - Parameter body: makes the changes, and returns the changes that the commit reports. If it throws, the transaction is
    ///   cancelled.
    package static func perform<Failure: Error>(
        id: UInt64, on base: Snapshot, _ catalog: Catalog, _ heap: Heap,
        _ body: (WriteTransaction) throws(Failure) -> RowChangeSet
    ) throws(Failure) -> Commit {
        try ReaderState.withTemporary { reader throws(Failure) in
            let transaction = WriteTransaction(
                id: id, base: base, catalog: catalog, heap: heap, reader: reader)
            do throws(Failure) {
                return transaction.commit(try body(transaction))
            } catch {
                _ = transaction.cancel()
                throw error
            }
        }
    }
}
