import KivoEngine

/// A class in one realm instance, with the data by which its accessors find their rows.
///
/// Owned by the realm instance, and confined with it; accessors refer to it without owning it.
final class TableContext {
    unowned(unsafe) let instance: RealmInstance
    let info: ClassInfo
    let table: TableID
    /// The contexts of classes that this one links to. The realm owns them, because classes link to each other in cycles.
    private var targets: [ObjectIdentifier: Unmanaged<TableContext>] = [:]
    /// The state of the realm's reader, and the position of the primary key's index among the table's indexes.
    private let reader: UnsafeMutablePointer<ReaderState>
    private let primaryIndex: Int?
    /// The column of the primary key, or nil if there is none.
    let primaryColumn: Int?
    /// The owner that accessors hold, the state that they compare with, and the state in which they begin.
    let instanceOwner: Unmanaged<InstanceOwner>
    let accessorReader: UnsafeMutablePointer<ReaderState>
    let accessorState: ObjectState
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
        accessorState = isTracked ? [.managed, .tracked] : .managed
        hasCollections = info.hasCollections
        isRecyclable = info.isRecyclable
        isDynamic = info.isDynamic
        primaryColumn = info.primaryKey?.column
        primaryIndex = info.primaryKey.flatMap { instance.catalog.tables[table].indexOrdinal(of: $0.column) }
    }

    /// Returns the key of the object with a primary key, or nil if there is none.
    func key(primaryKey cell: Cell) -> ObjectKey? {
        guard let primaryIndex, let property = info.primaryKey else { return nil }
        return view.firstKey(
            index: primaryIndex, column: property.column, kind: property.columnKind, equals: cell)
    }

    /// The table as the realm sees it.
    @inline(__always)
    private var view: Table {
        reader.pointee.snapshot?.table(table) ?? instance.table(table)
    }

    /// Returns the context of a class that this one links to.
    func target(_ type: ObjectBase.Type) -> TableContext {
        if instance.isFrozen { return instance.classes.context(of: type) }
        instance.checkConfinement()
        let id = ObjectIdentifier(type)
        if let known = targets[id] { return known.takeUnretainedValue() }
        let context = instance.classes.context(of: type)
        targets[id] = Unmanaged.passUnretained(context)
        return context
    }

    /// Returns the context of the class that a property links to, or whose objects link through it.
    func target(of property: PropertyInfo) -> TableContext {
        if let table = property.targetTable { return instance.classes.dynamicContext(of: table) }
        return target(property.type.target.unsafelyUnwrapped)
    }

    /// Returns the context of the class that a property of a column links to, which is `type` if the class is declared.
    @inline(__always)
    func target(_ type: ObjectBase.Type, column: Int) -> TableContext {
        isDynamic ? target(of: info.property(column: column)) : target(type)
    }

    /// Returns a new accessor of a row. Traps if the row does not exist.
    func accessor(_ key: ObjectKey) -> ObjectBase {
        // The row is located after code of the app made the object, which could move it.
        let object = makeObject()
        guard let (leaf, slot) = view.locate(key) else {
            trap("There is no object of class '\(info.name)' with key \(key).")
        }
        return attached(object, key, leaf, slot)
    }

    func accessor(_ key: ObjectKey, _ leaf: Leaf, _ slot: Int) -> ObjectBase {
        attached(makeObject(), key, leaf, slot)
    }

    /// Returns a new object of the class. Callers may have addresses of rows, which stay valid although code of the app runs: nothing
    /// is evicted meanwhile. Nor is it ever in a frozen realm, whose state many threads read.
    func makeObject() -> ObjectBase {
        if instance.isFrozen { return info.type.init() }
        reader.pointee.addressesInUse += 1
        defer { reader.pointee.addressesInUse -= 1 }
        return info.type.init()
    }

    @inline(__always)
    private func attached(_ object: ObjectBase, _ key: ObjectKey, _ leaf: Leaf, _ slot: Int) -> ObjectBase {
        object.attach(self, key: key, leaf: leaf, slot: slot)
        // The initialiser created the collections of the class as those of an unmanaged object.
        if hasCollections { info.renewCollections(object) }
        return object
    }

    /// Points an accessor of the class to a row.
    @inline(__always)
    func point(_ row: inout RowReference, _ key: ObjectKey, _ leaf: Leaf, _ slot: Int) {
        row.key = key
        let writer = reader.pointee.writer
        row.point(
            to: slot, of: leaf, at: reader.pointee.generation,
            writer: writer == 0 || reader.pointee.observed == 0 ? writer : instance.directWriter(table, key))
    }

    /// Returns an accessor of a row: the one that was returned last if nothing else retains it, else a new one.
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
