import KivoEngine

/// A listener of one object.
class ObjectListener: Listener {
    enum Event {
        case change([PropertyChange])
        case deleted
    }

    final let object: ObjectBase
    private final let filter: KeyPathFilter?
    private final let call: (ObjectBase, Event) -> Void

    init(_ object: ObjectBase, _ keyPaths: [String]?, _ call: @escaping (ObjectBase, Event) -> Void) {
        self.object = object
        filter = KeyPathFilter.make(keyPaths, object.kivoContext)
        self.call = call
        super.init(hasInitial: false)
    }

    override var interest: Interest {
        let row = RowID(table: object.kivoContext.table, key: object.kivoRow.key)
        guard let filter else { return Interest(row: Interest.Row(id: row, columns: nil)) }
        if filter.readsOwnColumns {
            return Interest(
                row: Interest.Row(id: row, columns: filter.dependencies.ownColumns.map { $0.sorted() }))
        }
        // The row itself matters only for its deletion: the dependencies of the paths cover everything else.
        var interest = Interest.row(row, columns: [])
        interest.membership = Interest.Membership(.row, [filter.dependencies], .key(row.key))
        return interest
    }

    override var subject: String { object.kivoContext.info.name }

    /// Called for a part of a joint listener: until its first call, a deletion does not concern it.
    override func callInitial() {
        let table = object.kivoInstance?.table(object.kivoContext.table)
        if table?.contains(object.kivoRow.key) != false { return }
        take(.ended)
        noteCall(ListenerCall.Size(deletions: 1))
        call(object, .deleted)
    }

    override func isAffected(by pending: PendingChanges) -> Bool {
        let key = object.kivoRow.key
        let leaf = pending.changes.table(object.kivoContext.table)?.leaf(of: key)
        let slot = KeyBlock.offset(of: key)
        if let leaf, leaf.deleted.contains(slot) { return true }
        if let filter {
            return filter.groups.contains { pending.traversals.affects(key, $0.dependencies) }
        }
        return leaf.map { !$0.inserted.contains(slot) && $0.touched.contains(slot) } ?? false
    }

    override func deliver(_ pending: PendingChanges) {
        let table = object.kivoContext.table
        let key = object.kivoRow.key
        let leaf = pending.changes.table(table)?.leaf(of: key)
        let slot = KeyBlock.offset(of: key)
        if let leaf, leaf.deleted.contains(slot) {
            take(.ended)
            noteCall(ListenerCall.Size(deletions: 1))
            call(object, .deleted)
            return
        }
        let changes = self.changes(pending)
        if changes.isEmpty { return }
        noteCall(ListenerCall.Size(modifications: changes.count))
        call(object, .change(changes))
    }

    /// Returns the changes to report. The object still exists.
    func changes(_ pending: PendingChanges) -> [PropertyChange] {
        let key = object.kivoRow.key
        let leaf = pending.changes.table(object.kivoContext.table)?.leaf(of: key)
        var changes: [PropertyChange] = []
        if let filter {
            for group in filter.groups where pending.traversals.affects(key, group.dependencies) {
                changes.append(change(of: object.kivoContext.info.properties[group.property], pending))
            }
        } else if let leaf, !leaf.inserted.contains(KeyBlock.offset(of: key)) {
            let slot = KeyBlock.offset(of: key)
            for property in object.kivoContext.info.properties where leaf.isModified(property, slot) {
                changes.append(change(of: property, pending))
            }
        }
        return changes
    }

    private final func change(of property: PropertyInfo, _ pending: PendingChanges) -> PropertyChange {
        guard property.type.collection == .none else {
            return PropertyChange(name: property.name, oldValue: nil, newValue: nil)
        }
        return PropertyChange(
            name: property.name, oldValue: oldValue(of: property, pending) ?? nil,
            newValue: object.kivoValue(property))
    }

    /// Returns the value before the first advance that changed it, or nil if none did.
    final func oldValue(of property: PropertyInfo, _ pending: PendingChanges) -> Any?? {
        let table = object.kivoContext.table
        let key = object.kivoRow.key
        for (old, changes) in pending.advances
        where changes.table(table)?.modifiedColumns(of: key).contains(property.column) == true {
            let cell = old.table(table).cell(key, property.column, property.columnKind)
            return .some(property.value(of: cell, object))
        }
        return nil
    }
}

extension PropertyInfo {
    /// Returns the property value that a cell holds, or nil for a link to a deleted object.
    func value(of cell: Cell, _ owner: ObjectBase) -> Any? {
        let context = CollectionContext(
            instance: owner.kivoInstance, elements: isLinking ? owner.kivoContext.target(of: self) : nil)
        if let elements = context.elements, !elements.instance.table(elements.table).contains(cell.linkKey) {
            return nil
        }
        return wrapper.value(of: cell, context)
    }
}

extension LeafChange {
    /// Whether a property was assigned in the row of a slot.
    fileprivate func isModified(_ property: PropertyInfo, _ slot: Int) -> Bool {
        columns.contains { column in
            (column.column == property.column || column.column == property.valuesColumn)
                && column.slots.contains(slot)
        }
    }
}
