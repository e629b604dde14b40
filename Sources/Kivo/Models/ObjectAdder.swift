import KivoEngine

/// A writer of the values of objects that are being added: the open transaction, and the policy for a row that existed before.
/// Not for use by applications; the adder that this is a part of finds the objects that links refer to.
///
/// Confined to one call of `add`, `create`, or an assignment that adds objects.
class ObjectAdder {
    /// The realm, which outlives every call.
    unowned(unsafe) final let instance: RealmInstance
    final let transaction: WriteTransaction
    final var policy: Realm.UpdatePolicy
    /// Whether the row being written existed before, so that the policy decides what to write.
    @exclusivity(unchecked) final var isUpdating = false
    /// The state of the realm's reader.
    private final let reader: UnsafeMutablePointer<ReaderState>

    init(_ instance: RealmInstance, _ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) {
        self.instance = instance
        self.transaction = transaction
        self.policy = policy
        reader = instance.reader
    }

    /// Whether sets and maps of a row that existed before are replaced, and not united with their new contents.
    @exclusivity(unchecked) final var isReplacing = false

    /// Whether a row that existed before has to be compared before it is written.
    final var isComparing: Bool { isUpdating && policy == .modified }

    /// Writes a scalar into the row of an object that is being added. `column` is a bound column, as property wrappers hold it.
    ///
    /// The row of a new object is in a leaf that the transaction owns with all its buffers; it moves when objects that are
    /// added along the way make the leaf grow.
    @inline(__always)
    final func store(
        _ cell: @autoclosure () -> Cell, _ owner: ObjectBase, _ column: Int,
        _ direct: (UnsafeMutableRawPointer, Int) -> Bool
    ) {
        if !isUpdating, PersistedColumn.isDirect(UInt32(truncatingIfNeeded: column)) {
            if owner.kivoRow.generation != reader.pointee.generation { relocate(owner) }
            let data = owner.kivoRow.columns.unsafelyUnwrapped[column]
            ColumnBits.markDirty(data, owner.kivoRow.slot)
            if !direct(data, owner.kivoRow.slot) { replaceLarge(cell(), owner, column) }
        } else {
            storeMaintained(cell(), owner, PersistedColumn.index(UInt32(column)))
        }
    }

    /// Writes a scalar into the row of a new object, in a column for which a write is only a store.
    @inline(__always)
    final func storeNew(_ cell: Cell, _ owner: ObjectBase, _ property: PropertyInfo) {
        if owner.kivoRow.generation != reader.pointee.generation { relocate(owner) }
        let data = owner.kivoRow.columns.unsafelyUnwrapped[property.column]
        if !ColumnBuffer.store(cell, data, owner.kivoRow.slot, property.columnKind) {
            replaceLarge(cell, owner, property.column)
        }
    }

    /// Replaces a large value of a new object: the object's values contain it once more, with that value.
    @inline(never)
    private final func replaceLarge(_ cell: Cell, _ owner: ObjectBase, _ column: Int) {
        transaction.set(cell, owner.kivoContext.table, owner.kivoRow.key, column)
    }

    /// Locates the row of an object that may have moved. Checks the write first: the app's code that made a value may have ended
    /// it.
    @inline(never)
    private final func relocate(_ owner: ObjectBase) {
        instance.checkOpen(transaction)
        owner.locateOrTrap()
    }

    @inline(never)
    private final func storeMaintained(_ cell: Cell, _ owner: ObjectBase, _ column: Int) {
        // The row was created with its primary key, or was found by it.
        if column == owner.kivoContext.primaryColumn { return }
        instance.checkOpen(transaction, RowID(table: owner.kivoContext.table, key: owner.kivoRow.key))
        if isUpdating {
            update(cell, owner, owner.kivoContext.info.property(column: column))
        } else {
            transaction.set(cell, owner.kivoContext.table, owner.kivoRow.key, column)
        }
    }

    /// Writes a link into the row of an object that is being added.
    final func storeLink(_ key: ObjectKey, _ owner: ObjectBase, _ property: PropertyInfo) {
        if isUpdating {
            update(.link(key), owner, property)
        } else if key != 0 {
            transaction.set(.link(key), owner.kivoContext.table, owner.kivoRow.key, property.column)
        }
    }

    private final func update(_ cell: Cell, _ owner: ObjectBase, _ property: PropertyInfo) {
        let (table, key) = (owner.kivoContext.table, owner.kivoRow.key)
        if isComparing, transaction.table(table).cell(key, property.column, property.columnKind) == cell {
            return
        }
        var dying: [ObjectKey] = []
        var target = table
        if property.isLink { target = owner.kivoContext.target(of: property).table }
        if property.isOwning, property.isLink {
            let old = transaction.table(table).cell(key, property.column, .link).linkKey
            if old != 0, .link(old) != cell { dying = [old] }
        }
        instance.rowNotifier.deleting(
            instance, dying, target, transaction,
            cause: (RowID(table: table, key: key), property.column, .wholesale)
        ) {
            let row = RowID(table: table, key: key)
            instance.checkOpen(
                transaction, row, target: property.isLink ? RowID(table: target, key: cell.linkKey) : nil)
            transaction.set(cell, table, key, property.column)
            instance.reader.pointee.mutations += 1
        }
    }
}
