import KivoEngine

/// The location of a managed collection: the owner's row and the column.
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
    /// The context in which elements are created.
    let context: CollectionContext
    /// Whether elements are values, not objects.
    let holdsValues: Bool
    /// Whether elements are read and written as `Int` though the property stores narrower integers: so it is in a migration.
    let isWidened: Bool
    /// Whether reads of the collection are recorded for observation tracking.
    private let isTracked: Bool
    let reader: UnsafeMutablePointer<ReaderState>
    let creationGeneration: UInt64
    /// The last generation in which the owner was found to have no observers.
    @exclusivity(unchecked) var unobserved: UInt64 = 0

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
        isWidened = instance.migration != nil && !isKey && property.type.scalar?.isNarrowInteger == true
        holdsValues = context.elements == nil && element != .any && !isWidened
        isTracked = owner.info.isObservable && !instance.isFrozen
        reader = instance.reader
        creationGeneration = reader.pointee.generation
    }

    /// Creates a reference to a collection property of a row.
    convenience init(
        _ owner: TableContext, _ key: ObjectKey, _ property: PropertyInfo, column: Int? = nil,
        element: ElementKind? = nil
    ) {
        let id = CollectionID(table: owner.table, column: column ?? property.column, key: key)
        self.init(owner.instance, owner, id, property, element ?? property.type.elementKind)
    }

    /// Creates a reference to a collection property of a managed object.
    convenience init(
        _ object: ObjectBase, _ property: PropertyInfo, column: Int? = nil, element: ElementKind? = nil
    ) {
        let owner = object.kivoContext
        let id = CollectionID(table: owner.table, column: column ?? property.column, key: object.kivoRow.key)
        self.init(object.kivoInstance!, owner, id, property, element ?? property.type.elementKind)
    }

    /// Returns a reference to the collection in another instance of the realm.
    func moved(to instanceOwner: InstanceOwner) -> CollectionReference { handover(instanceOwner.instance) }

    /// A closure that makes a reference to the collection in another instance of the realm, without retaining this instance.
    var handover: @Sendable (RealmInstance) -> CollectionReference {
        let (info, id, property, element) = (owner.info, id, property, element)
        return { CollectionReference($0, $0.classes.context(of: info), id, property, element) }
    }

    /// Returns the collection at the instance's version. Traps if it was deleted, or if its owner was created in the open
    /// transaction.
    func frozen() -> CollectionReference {
        if isInvalidated { trapInvalidated() }
        let frozen = moved(to: instance.frozen())
        if frozen.isInvalidated {
            trap("The object that owns '\(name)' was created in this transaction and cannot be frozen yet.")
        }
        return frozen
    }

    /// Returns the collection in the live instance of the current thread, queue or actor, or nil if its owner was deleted there.
    func thawed() -> CollectionReference? {
        let live = moved(to: instance.thawed())
        return live.isInvalidated ? nil : live
    }

    var name: String { "\(owner.info.name).\(property.name)" }

    var isInvalidated: Bool {
        instance.checkConfinement { "a collection '\(name)'" }
        return instance.isInvalidated(creationGeneration) || !instance.table(id.table).contains(id.key)
    }

    /// The current elements; empty if the owner was deleted.
    var sequence: PersistentSequence {
        instance.checkConfinement { "a collection '\(name)'" }
        if isTracked { noteRead() }
        guard !instance.isInvalidated(creationGeneration),
            let (leaf, slot) = instance.table(id.table).locate(id.key)
        else {
            return PersistentSequence.empty(element)
        }
        return leaf.column(id.column).sequence(slot, element)
    }

    func trapInvalidated() -> Never {
        trap("The object that owns collection '\(name)' has been deleted or its realm was invalidated.")
    }

    /// Returns the open transaction, for a change of the collection. Traps if there is none or the owner was deleted.
    func requireTransaction() -> WriteTransaction {
        let transaction = instance.requireTransaction("modify '\(name)'")
        if instance.isInvalidated(creationGeneration) || !transaction.table(id.table).contains(id.key) {
            trapInvalidated()
        }
        return transaction
    }

    /// Makes a change and notifies the owner's key-value observers.
    func change(_ kind: CollectionChangeKind, _ body: (WriteTransaction) -> Void) {
        let transaction = requireTransaction()
        changingOwner {
            instance.rowNotifier.changing(RowID(table: id.table, key: id.key), property.column, kind) {
                instance.checkOpen(transaction, RowID(table: id.table, key: id.key))
                body(transaction)
                instance.reader.pointee.mutations += 1
            }
        }
    }

    /// Makes a change and notifies the key-value observers of the object that holds the collection as a value of any type.
    @inline(__always)
    private func changingOwner(_ body: () -> Void) {
        if instance.rowNotifier.isEmpty { return body() }
        changingObservedOwner(body)
    }

    @inline(never)
    private func changingObservedOwner(_ body: () -> Void) {
        guard instance.catalog.tables[id.table].container != nil,
            let (row, column, position) = instance.anyOwner(of: RowID(table: id.table, key: id.key)),
            let info = instance.classes.usedContext(of: row.table)?.info
        else { return body() }
        instance.rowNotifier.changing(
            row, info.property(column: column).column, position.map { .replacement([$0]) } ?? .wholesale, body
        )
    }

    /// Makes a change that removes elements. Notifies the key-value observers of the owner and, if the elements are embedded
    /// objects, those of the elements, which are deleted.
    func change(_ kind: CollectionChangeKind, ending elements: [Cell], _ body: (WriteTransaction) -> Void) {
        guard property.endsRows, !elements.isEmpty else { return change(kind, body) }
        let transaction = requireTransaction()
        let row = RowID(table: id.table, key: id.key)
        guard property.isOwning else {
            return changingOwner {
                instance.ending(elements, cause: (row, property.column, kind), transaction) {
                    instance.checkOpen(transaction, row)
                    body(transaction)
                    instance.reader.pointee.mutations += 1
                }
            }
        }
        let dying = elements.map(\.linkKey).filter { $0 != 0 }
        instance.rowNotifier.deleting(
            instance, dying, context.elements!.table, transaction, cause: (row, property.column, kind),
            withLists: false
        ) {
            instance.checkOpen(transaction, row)
            body(transaction)
            instance.reader.pointee.mutations += 1
        }
    }

    /// The elements that can own rows; empty if none can.
    var endingElements: [Cell] {
        if property.isOwning { return sequence.links.map(Cell.link) }
        if element != .any || instance.rowNotifier.isEmpty { return [] }
        var cells: [Cell] = []
        sequence.forEach { if $0.target != nil { cells.append($0) } }
        return cells
    }

    /// Removes all elements in one change. Does nothing if there is none.
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

    /// Returns the cell of an element that is put in a position. An embedded object may be the one that is in this position
    /// already.
    func cell<Element: RealmCollectionValue>(_ element: Element, keeping held: @autoclosure () -> Cell)
        -> Cell
    {
        guard property.isOwning, let object = flatten(element) as? ObjectBase else {
            return element.cell(in: context)
        }
        object.kivoCheckFits(context.elements!, "'\(name)'")
        return object.kivoCell(in: instance, keeping: held(), "'\(name)'")
    }

    /// Traps if an element is an integer that the property cannot store.
    func checkWidth(_ cell: Cell) {
        guard isWidened, case .word(let word) = cell, let type = property.type.scalar?.swiftType else {
            return
        }
        let value = Int(word: word)
        if property.type.scalar?.cell(of: value) == nil {
            trap("'\(value)' is no element of collection '\(name)', which holds values of type '\(type)'.")
        }
    }

    /// Traps if an element is an integer that is too wide, or refers to an object that an observer deleted, before the change but
    /// after the element was looked up.
    func checkElement(_ cell: Cell) {
        checkWidth(cell)
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
