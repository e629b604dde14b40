import KivoEngine

/// Where a managed collection is: the owner's row and the column.
///
/// Confined to the realm instance, which it keeps alive.
@usableFromInline
final class CollectionReference {
    let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    let owner: TableContext
    let id: CollectionID
    let property: PropertyInfo
    let element: ElementKind
    /// The context with which elements are made.
    let context: CollectionContext
    /// Whether elements are values, not objects.
    let holdsValues: Bool
    /// Whether it is noted that somebody reads the collection.
    private let isTracked: Bool
    private let reader: UnsafeMutablePointer<UInt64>
    private let born: UInt64
    /// The generation in which nobody observed the owner.
    @exclusivity(unchecked) private var unobserved: UInt64 = 0

    private init(
        _ instance: RealmInstance, _ owner: TableContext, _ id: CollectionID, _ property: PropertyInfo,
        _ element: ElementKind
    ) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        self.owner = owner
        self.id = id
        self.property = property
        self.element = element
        let isKey = property.valuesColumn != nil && id.column == property.column
        context = CollectionContext(
            instance: instance, elements: isKey || !property.isLinking ? nil : owner.target(of: property))
        holdsValues = context.elements == nil && element != .any
        isTracked = owner.info.isObservable && !instance.isFrozen
        reader = instance.reader
        born = reader[ReaderState.generation]
    }

    /// A collection property of a row.
    convenience init(
        _ owner: TableContext, _ key: ObjectKey, _ property: PropertyInfo, column: Int? = nil,
        element: ElementKind? = nil
    ) {
        let id = CollectionID(table: owner.table, column: column ?? property.column, key: key)
        self.init(owner.instance, owner, id, property, element ?? property.type.elementKind)
    }

    /// A collection property of a managed object.
    convenience init(
        _ object: ObjectBase, _ property: PropertyInfo, column: Int? = nil, element: ElementKind? = nil
    ) {
        let owner = object.kivoContext
        let id = CollectionID(table: owner.table, column: column ?? property.column, key: object.kivoRow.key)
        self.init(object.kivoInstance!, owner, id, property, element ?? property.type.elementKind)
    }

    /// The same collection in another instance of the realm.
    func moved(to instanceOwner: InstanceOwner) -> CollectionReference { handover(instanceOwner.instance) }

    /// Makes the same collection in another instance of the realm, without keeping this one.
    var handover: @Sendable (RealmInstance) -> CollectionReference {
        let (info, id, property, element) = (owner.info, id, property, element)
        return { CollectionReference($0, $0.context(of: info), id, property, element) }
    }

    /// The collection in the version that is seen. Traps if it is gone, or its owner is newer than that.
    func frozen() -> CollectionReference {
        if isInvalidated { trapInvalidated() }
        let frozen = moved(to: instance.frozen())
        if frozen.isInvalidated {
            trap("The object that owns '\(name)' was created in this transaction and cannot be frozen yet.")
        }
        return frozen
    }

    /// The collection in the live instance of the place that runs this code, or nil if its owner is gone there.
    func thawed() -> CollectionReference? {
        let live = moved(to: instance.thawed())
        return live.isInvalidated ? nil : live
    }

    var name: String { "\(owner.info.name).\(property.name)" }

    /// Appends an element if that is all there is to do: a write is open, of this thread, nobody observes the owner, and
    /// elements are plain values.
    @inline(__always)
    func appendDirectly<Element: RealmCollectionValue>(_ element: Element) -> Bool {
        guard holdsValues, !Element._isConverted, reader[ReaderState.writer] != 0,
            reader[ReaderState.thread] == ThreadIdentity.currentNumber,
            !instance.isInvalidated(born), isOwnerUnobserved
        else { return false }
        return instance.withOpenTransaction { transaction in
            guard transaction.appendElement(element._elementCell(context), to: id) else { return false }
            reader[ReaderState.mutations] &+= 1
            return true
        }
    }

    /// Whether nobody observes the owner. Remembered: the generation changes when somebody begins to in a write.
    @inline(__always)
    private var isOwnerUnobserved: Bool {
        if unobserved == reader[ReaderState.generation] { return true }
        if instance.rowTeller.contains(id.table, id.key) { return false }
        unobserved = reader[ReaderState.generation]
        return true
    }

    var isInvalidated: Bool {
        instance.checkConfinement { "a collection '\(name)'" }
        return instance.isInvalidated(born) || !instance.table(id.table).contains(id.key)
    }

    /// The elements as they are now; none if the owner is gone.
    var sequence: PersistentSequence {
        instance.checkConfinement { "a collection '\(name)'" }
        if isTracked { noteRead() }
        guard !instance.isInvalidated(born), let (leaf, slot) = instance.table(id.table).locate(id.key) else {
            return PersistentSequence.empty(element)
        }
        return leaf.column(id.column).sequence(slot, element)
    }

    func trapInvalidated() -> Never {
        trap("The object that owns collection '\(name)' has been deleted or its realm was invalidated.")
    }

    /// The open transaction, for a change of the collection; traps if there is none or the owner is gone.
    func requireTransaction() -> WriteTransaction {
        let transaction = instance.requireTransaction("modify '\(name)'")
        if instance.isInvalidated(born) || !transaction.table(id.table).contains(id.key) { trapInvalidated() }
        return transaction
    }

    /// Carries out a change, telling key-value observers of the owner.
    func change(_ kind: CollectionChangeKind, _ body: (WriteTransaction) -> Void) {
        let transaction = requireTransaction()
        changingOwner {
            instance.rowTeller.changing(RowID(table: id.table, key: id.key), property.column, kind) {
                instance.checkOpen(transaction, RowID(table: id.table, key: id.key))
                body(transaction)
                instance.reader[ReaderState.mutations] += 1
            }
        }
    }

    /// Carries out a change, telling key-value observers of the object that a list or dictionary as a value of any type belongs to.
    @inline(__always)
    private func changingOwner(_ body: () -> Void) {
        if instance.rowTeller.isEmpty { return body() }
        changingObservedOwner(body)
    }

    @inline(never)
    private func changingObservedOwner(_ body: () -> Void) {
        guard instance.catalog.tables[id.table].container != nil,
            let (row, column, position) = instance.anyOwner(of: RowID(table: id.table, key: id.key)),
            let info = instance.context(table: row.table)?.info
        else { return body() }
        instance.rowTeller.changing(
            row, info.property(column: column).column, position.map { .replacement([$0]) } ?? .wholesale, body
        )
    }

    /// Carries out a change with which elements go, telling key-value observers of the owner and, if the elements are
    /// embedded objects, of those, which die.
    func change(_ kind: CollectionChangeKind, ending elements: [Cell], _ body: (WriteTransaction) -> Void) {
        guard property.endsRows, !elements.isEmpty else { return change(kind, body) }
        let transaction = requireTransaction()
        let row = RowID(table: id.table, key: id.key)
        guard property.isOwning else {
            return changingOwner {
                instance.ending(elements, cause: (row, property.column, kind), transaction) {
                    instance.checkOpen(transaction, row)
                    body(transaction)
                    instance.reader[ReaderState.mutations] += 1
                }
            }
        }
        let dying = elements.map(\.linkKey).filter { $0 != 0 }
        instance.rowTeller.deleting(
            instance, dying, context.elements!.table, transaction, cause: (row, property.column, kind),
            withLists: false
        ) {
            instance.checkOpen(transaction, row)
            body(transaction)
            instance.reader[ReaderState.mutations] += 1
        }
    }

    /// The elements that can own rows, if there are any.
    var endingElements: [Cell] {
        if property.isOwning { return sequence.links.map(Cell.link) }
        if element != .any || instance.rowTeller.isEmpty { return [] }
        var cells: [Cell] = []
        sequence.forEach { if $0.target != nil { cells.append($0) } }
        return cells
    }

    /// Removes all elements, as one change; none if there is none.
    func removeAllElements() {
        let transaction = requireTransaction()
        let count = transaction.sequence(id).count
        if count == 0 { return }
        let dying = endingElements
        change(.removal(.range(0..<count)), ending: dying) {
            if $0.sequence(id).count != count {
                trap("A list was changed inside of a notification before another change of it.")
            }
            $0.removeAllElements(from: id)
        }
    }

    /// The cell of an element that is to be put in a place. An embedded object may be the one that is there.
    func cell<Element: RealmCollectionValue>(_ element: Element, keeping held: @autoclosure () -> Cell)
        -> Cell
    {
        guard property.isOwning, let object = flatten(element) as? ObjectBase else {
            return element._elementCell(context)
        }
        object.kivoCheckFits(context.elements!, "'\(name)'")
        return object.kivoCell(in: instance, keeping: held(), "'\(name)'")
    }

    /// Traps if an element refers to an object that was deleted since it was looked up, by an observer before the change.
    func checkElement(_ cell: Cell) {
        if let row = cell.target {
            if instance.table(row.table).contains(row.key) { return }
        } else {
            guard case .link(let key) = cell, key != 0, let elements = context.elements else { return }
            if instance.table(elements.table).contains(key) { return }
        }
        trap("An object was deleted inside of a notification before it was put into collection '\(name)'.")
    }

    func range(checking index: Int, _ count: Int) {
        if index < 0 || index >= count {
            trap("Index \(index) is outside of collection '\(name)' of \(count) elements.")
        }
    }
}
