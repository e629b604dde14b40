import KivoEngine

/// A class in one realm instance: what its accessors need to find their rows.
///
/// Owned by the realm instance, and confined with it; accessors refer to it without owning it.
final class TableContext {
    unowned(unsafe) let instance: RealmInstance
    let info: ClassInfo
    let table: TableID
    /// The contexts of classes that this one links to. The realm owns them: classes link to each other in circles.
    private var targets: [ObjectIdentifier: Unmanaged<TableContext>] = [:]
    /// The words of the realm's reader, and the place of the primary key's index among the table's.
    private let reader: UnsafeMutablePointer<UInt64>
    private let primaryIndex: Int?
    /// What accessors hold, the words that they compare with, and the state that they begin in.
    let instanceOwner: Unmanaged<InstanceOwner>
    let accessorReader: UnsafeMutablePointer<UInt64>
    let accessorState: UInt8
    private let hasCollections: Bool
    private let isRecyclable: Bool
    let isDynamic: Bool

    init(_ instance: RealmInstance, _ info: ClassInfo, _ table: TableID) {
        self.instance = instance
        self.info = info
        self.table = table
        reader = instance.reader
        instanceOwner = Unmanaged.passUnretained(instance.instanceOwner)
        let isTracked = info.isObservable && !instance.isFrozen
        accessorReader = isTracked ? PlaceholderColumns.reader : instance.reader
        accessorState = isTracked ? RowReference.managed | RowReference.tracked : RowReference.managed
        hasCollections = info.hasCollections
        isRecyclable = info.isRecyclable
        isDynamic = info.isDynamic
        primaryIndex = info.primaryKey.flatMap { instance.catalog.tables[table].indexOrdinal(of: $0.column) }
    }

    /// The key of the object of a primary key, or nil.
    func key(primaryKey cell: Cell) -> ObjectKey? {
        guard let primaryIndex, let property = info.primaryKey else { return nil }
        return view.firstKey(
            index: primaryIndex, column: property.column, kind: property.columnKind, equals: cell)
    }

    /// The table as the realm sees it.
    @inline(__always)
    private var view: Table {
        Snapshot(word: reader[ReaderState.root])?.table(table) ?? instance.table(table)
    }

    /// The context of a class that this one links to.
    func target(_ type: ObjectBase.Type) -> TableContext {
        if instance.isFrozen { return instance.context(type) }
        instance.checkConfinement()
        let id = ObjectIdentifier(type)
        if let known = targets[id] { return known.takeUnretainedValue() }
        let context = instance.context(type)
        targets[id] = Unmanaged.passUnretained(context)
        return context
    }

    /// The context of the class that a property links to, or whose objects link through it.
    func target(of property: PropertyInfo) -> TableContext {
        if let table = property.targetTable { return instance.dynamicContext(table) }
        return target(property.type.target.unsafelyUnwrapped)
    }

    /// The context of the class that a property of a column links to, which is `type` if the class is declared.
    @inline(__always)
    func target(_ type: ObjectBase.Type, column: Int) -> TableContext {
        isDynamic ? target(of: info.property(column: column)) : target(type)
    }

    /// A new accessor of a row, which must exist.
    func accessor(_ key: ObjectKey) -> ObjectBase {
        guard let (leaf, slot) = view.locate(key) else {
            trap("There is no object of class '\(info.name)' with key \(key).")
        }
        return accessor(key, leaf, slot)
    }

    func accessor(_ key: ObjectKey, _ leaf: Leaf, _ slot: Int) -> ObjectBase {
        let object = info.type.init()
        object.attach(self, key: key, leaf: leaf, slot: slot)
        // Collections that the class declares with a default are those of an unmanaged object.
        if hasCollections { info.renewCollections(object) }
        return object
    }

    /// Has an accessor of the class refer to a row.
    @inline(__always)
    func point(_ row: inout RowReference, _ key: ObjectKey, _ leaf: Leaf, _ slot: Int) {
        row.key = key
        row.columns = leaf.columns
        row.slot = slot
        row.generation = reader[ReaderState.generation]
        let writer = reader[ReaderState.writer]
        row.writer =
            writer == 0 || reader[ReaderState.observed] == 0 ? writer : instance.directWriter(table, key)
    }

    /// An accessor of a row: the one handed out last, if nobody kept it, else a new one.
    @inline(__always)
    func accessor(reusing last: inout ObjectBase?, _ key: ObjectKey, _ leaf: Leaf, _ slot: Int) -> ObjectBase
    {
        if isRecyclable, isKnownUniquelyReferenced(&last), let object = last, object.kivoAttachment == nil {
            point(&object.kivoRow, key, leaf, slot)
            if hasCollections { info.renewCollections(object) }
            return object
        }
        let object = accessor(key, leaf, slot)
        if isRecyclable { last = object }
        return object
    }
}
