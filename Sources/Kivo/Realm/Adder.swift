import KivoEngine

/// Makes unmanaged objects managed: one call of `add`, `create`, or an assignment that brings objects along.
///
/// An object is attached to its fresh row before its properties are written, so that cycles of objects end.
/// Confined to the call.
public final class Adder {
    /// The realm, which outlives every call.
    unowned(unsafe) let core: RealmCore
    let transaction: WriteTransaction
    private(set) var policy: Realm.UpdatePolicy
    /// Whether the row being written was there before, so that the policy says what to write.
    private var isUpdating = false

    init(_ core: RealmCore, _ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) {
        self.core = core
        self.transaction = transaction
        self.policy = policy
    }

    /// Whether the adder can serve another call: the same transaction is open.
    func serves(_ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) -> Bool {
        guard self.transaction === transaction, !isUpdating else { return false }
        self.policy = policy
        return true
    }

    /// Adds an object unless it is in the realm already; answers its key.
    func add(_ object: ObjectBase) -> ObjectKey {
        if object.isManaged { return checkedKey(object) }
        if object.kivoAttachment != nil, let observations = object.kivoObservations,
            observations.hasRegistrations
        {
            trap(
                """
                Cannot add an object of class '\(type(of: object).className())' that has key-value observers to a \
                realm: remove them first.
                """)
        }
        let context = core.context(type(of: object))
        let info = context.info
        var existing: ObjectKey?
        if info.primaryKey == nil {
            existing = nil
        } else if let property = info.primaryKey,
            let value = property.wrapper.unmanagedValue(property.address(in: object))
        {
            existing = resolve(context, property.cell(of: value) ?? .null)
        } else if info.primaryKey != nil {
            existing = resolve(context, .null)
        }
        let key = existing ?? transaction.insert(into: context.table)
        writing(existing != nil) {
            attach(object, context, key)
            let base = Unmanaged.passUnretained(object).toOpaque()
            for place in info.places where isThere(context.table, key) {
                place.wrapper.promote(base + place.offset, object, place.boundColumn, self)
            }
        }
        // What was stored directly since the row was inserted.
        transaction.rowLog?.noteRow(context.table, key)
        return key
    }

    /// Whether the object that is being written is still there: observers of what is updated may delete it.
    @inline(__always)
    private func isThere(_ table: TableID, _ key: ObjectKey) -> Bool {
        !isUpdating || transaction.table(table).contains(key)
    }

    /// The key of a managed object, which must be of this realm and alive.
    private func checkedKey(_ object: ObjectBase) -> ObjectKey {
        guard object.kivoCore === core else {
            trap(
                """
                An object of class '\(type(of: object).className())' is in another realm instance: fetch it here by \
                its primary key, or create a copy.
                """)
        }
        object.locateOrTrap()
        return object.kivoRow.key
    }

    /// The key of an object that a link is to lead to. An owned object must be new, or is copied.
    func link(_ object: ObjectBase, isOwned: Bool) -> ObjectKey {
        guard isOwned, object.isManaged else { return add(object) }
        let copy = type(of: object).init()
        copy.kivoAssignUnmanaged(object)
        return add(copy)
    }

    /// Creates an object of a class from values.
    func create(_ type: ObjectBase.Type, _ value: Any) -> ObjectBase {
        let context = core.context(type)
        let given = GivenValues(value, context.info)
        var existing: ObjectKey?
        let object = type.init()
        if let property = context.info.primaryKey {
            let value =
                given.value(of: property) ?? property.wrapper.unmanagedValue(property.address(in: object))
            guard let cell = flatten(value).map({ property.cell(of: $0) }) ?? .null else {
                object.kivoTrapMisfit(property, value)
            }
            existing = resolve(context, cell)
        }
        let key = existing ?? transaction.insert(into: context.table)
        writing(existing != nil) {
            attach(object, context, key)
            let base = Unmanaged.passUnretained(object).toOpaque()
            var used = 0
            for (index, property) in context.info.storedProperties.enumerated() {
                let place = context.info.places[index]
                if !isThere(context.table, key) { break }
                if var value = given.value(of: property) {
                    used += 1
                    if property.isLinking { value = linked(value, property) }
                    if !place.wrapper.promote(value, base + place.offset, object, place.boundColumn, self) {
                        object.kivoTrapMisfit(property, value)
                    }
                } else if existing == nil {
                    place.wrapper.promote(base + place.offset, object, place.boundColumn, self)
                }
            }
            given.checkKeys(used: used, context.info)
        }
        transaction.rowLog?.noteRow(context.table, key)
        return object
    }

    /// A given value in which the objects that a link or collection is to lead to are made already, where they were
    /// given as dictionaries or arrays: of one that is there, only what is given is written.
    private func linked(_ value: Any?, _ property: PropertyInfo) -> Any? {
        guard let target = property.type.target, !property.isOwning, let value = flatten(value) else {
            return value
        }
        func object(_ value: Any) -> Any {
            guard let value = flatten(value) else { return value }
            return value is [String: Any] || value is [Any] ? create(target, value) : value
        }
        switch property.type.collection {
        case .none: return object(value)
        case .list, .set: return (value as? [Any])?.map(object) ?? value
        case .map: return (value as? [String: Any])?.mapValues(object) ?? value
        case .linkingObjects: return value
        }
    }

    /// The object of a primary key that is to be updated, or nil. A duplicate that must not be fails the transaction.
    private func resolve(_ context: TableContext, _ cell: Cell) -> ObjectKey? {
        guard let key = context.key(primaryKey: cell) else { return nil }
        if policy == .error {
            core.fail(
                Realm.Error(
                    .invalidInput,
                    """
                    An object of class '\(context.info.name)' with primary key '\(cell.text)' exists already: \
                    nothing of this write was kept. Pass 'update: .modified' to update it.
                    """))
            return nil
        }
        return key
    }

    private func writing(_ isUpdating: Bool, _ body: () -> Void) {
        let outer = self.isUpdating
        self.isUpdating = isUpdating
        body()
        self.isUpdating = outer
        core.clock[Clock.mutations] += 1
    }

    private func attach(_ object: ObjectBase, _ context: TableContext, _ key: ObjectKey) {
        let (leaf, slot) = transaction.table(context.table).locate(key)!
        object.attach(context, key: key, leaf: leaf, slot: slot)
    }

    /// Writes a scalar into the row of an object that is being added. `column` is bound, as wrappers carry it.
    ///
    /// The row of a new object is in a leaf that the transaction owns with all its buffers; it moves when objects that are
    /// added along the way make the leaf grow.
    @inline(__always)
    func store(
        _ cell: @autoclosure () -> Cell, _ owner: ObjectBase, _ column: Int,
        _ direct: (UnsafeMutableRawPointer, Int) -> Bool
    ) {
        if !isUpdating, PersistedColumn.isDirect(UInt32(truncatingIfNeeded: column)) {
            owner.locateOrTrap()
            let data = owner.kivoRow.columns.unsafelyUnwrapped[column]
            ColumnBits.markDirty(data, owner.kivoRow.slot)
            _ = direct(data, owner.kivoRow.slot)
        } else {
            storeMaintained(cell(), owner, PersistedColumn.index(UInt32(column)))
        }
    }

    @inline(never)
    private func storeMaintained(_ cell: Cell, _ owner: ObjectBase, _ column: Int) {
        if isUpdating {
            update(cell, owner, owner.kivoContext.info.property(column: column))
        } else {
            transaction.set(cell, owner.kivoContext.table, owner.kivoRow.key, column)
        }
    }

    /// Writes a link into the row of an object that is being added.
    func storeLink(_ key: ObjectKey, _ owner: ObjectBase, _ property: PropertyInfo) {
        if isUpdating {
            update(.link(key), owner, property)
        } else if key != 0 {
            transaction.set(.link(key), owner.kivoContext.table, owner.kivoRow.key, property.column)
        }
    }

    private func update(_ cell: Cell, _ owner: ObjectBase, _ property: PropertyInfo) {
        let (table, key) = (owner.kivoContext.table, owner.kivoRow.key)
        if property.isPrimaryKey { return }
        if policy == .modified,
            transaction.table(table).cell(key, property.column, property.columnKind) == cell
        {
            return
        }
        var dying: [ObjectKey] = []
        var target = table
        if property.isLink { target = owner.kivoContext.target(property.type.target!).table }
        if property.isOwning, property.isLink {
            let old = transaction.table(table).cell(key, property.column, .link).linkKey
            if old != 0, .link(old) != cell { dying = [old] }
        }
        core.observedRows.deleting(
            core, dying, target, transaction,
            cause: (RowID(table: table, key: key), property.column, .wholesale)
        ) {
            let row = RowID(table: table, key: key)
            core.checkOpen(
                transaction, row, target: property.isLink ? RowID(table: target, key: cell.linkKey) : nil)
            transaction.set(cell, table, key, property.column)
            core.clock[Clock.mutations] += 1
        }
    }

    /// Whether a collection of an object that is being added has to be compared before it is written.
    var isComparing: Bool { isUpdating && policy == .modified }
    /// Whether the object that is being added was there before.
    var isReplacing: Bool { isUpdating }
}

extension Cell {
    /// The value in words.
    var text: String {
        switch self {
        case .null: "nil"
        case .word(let word): "\(Int64(bitPattern: word))"
        case .wide(let a, let b): "\(String(a, radix: 16))\(String(b, radix: 16))"
        case .string(let string): string
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .link(let key): "object \(key)"
        }
    }
}
