import KivoEngine

/// Where a managed collection is: the owner's row and the column.
///
/// Confined to the realm instance, which it keeps alive.
struct CollectionReference {
    let core: RealmCore
    let owner: Unmanaged<TableContext>
    let id: CollectionID
    let element: ElementKind
    /// The class of the elements, if they are objects.
    let elementType: ObjectBase.Type?
    private let born: UInt64

    init(_ object: ObjectBase, _ property: PropertyInfo, column: Int? = nil, element: ElementKind? = nil) {
        core = object.kivoCore!
        owner = Unmanaged.passUnretained(object.kivoContext)
        id = CollectionID(
            table: object.kivoContext.table, column: column ?? property.column, key: object.kivoRow.key)
        self.element = element ?? property.type.elementKind
        elementType = property.type.target
        born = core.clock[Clock.generation]
    }

    private init(
        _ core: RealmCore, _ owner: ObjectBase.Type, _ id: CollectionID, _ element: ElementKind,
        _ elementType: ObjectBase.Type?
    ) {
        self.core = core
        self.owner = Unmanaged.passUnretained(core.context(owner))
        self.id = id
        self.element = element
        self.elementType = elementType
        born = core.clock[Clock.generation]
    }

    /// The same collection in another instance of the realm.
    init(_ other: CollectionReference, in core: RealmCore) { self = other.handover(core) }

    /// Makes the same collection in another instance of the realm, without keeping this one.
    var handover: (RealmCore) -> CollectionReference {
        let (owner, id, element, elementType) = (ownerContext.info.type, id, element, elementType)
        return { CollectionReference($0, owner, id, element, elementType) }
    }

    var ownerContext: TableContext { owner._withUnsafeGuaranteedRef { $0 } }
    var property: PropertyInfo { ownerContext.info.property(column: id.column) }
    var name: String { "\(ownerContext.info.name).\(property.name)" }

    /// The context with which elements are made.
    var context: CollectionContext {
        CollectionContext(core: core, elements: elementType.map { ownerContext.target($0) })
    }

    var isInvalidated: Bool {
        core.checkConfinement { "a collection '\(name)'" }
        var row = RowReference()
        row.generation = born
        return core.isInvalidated(row) || !core.table(id.table).contains(id.key)
    }

    /// The elements as they are now; none if the owner is gone.
    var sequence: PersistentSequence {
        core.checkConfinement { "a collection '\(name)'" }
        guard let (leaf, slot) = core.table(id.table).locate(id.key) else {
            return PersistentSequence(word: 0, element: element)
        }
        return PersistentSequence(word: leaf.column(id.column).word(slot), element: element)
    }

    func trapInvalidated() -> Never {
        trap("The object that owns collection '\(name)' has been deleted or its realm was invalidated.")
    }

    /// The open transaction, for a change of the collection; traps if there is none or the owner is gone.
    func requireTransaction() -> WriteTransaction {
        let transaction = core.requireTransaction("modify '\(name)'")
        if !transaction.table(id.table).contains(id.key) { trapInvalidated() }
        return transaction
    }

    /// Carries out a change, telling key-value observers of the owner.
    func change(_ kind: CollectionChangeKind, _ body: (WriteTransaction) -> Void) {
        let transaction = requireTransaction()
        core.observedRows.changing(core, id, property.name, kind) {
            body(transaction)
            core.clock[Clock.mutations] += 1
        }
    }

    func range(checking index: Int, _ count: Int) {
        if index < 0 || index >= count {
            trap("Index \(index) is outside of collection '\(name)' of \(count) elements.")
        }
    }
}

/// What kind of change of a collection key-value observers are told of.
enum CollectionChangeKind {
    case insertion(Range<Int>)
    /// Several insertions at once, as a refresh brings them.
    case scatteredInsertion([Int])
    case removal([Int])
    case replacement([Int])
    case wholesale
}
