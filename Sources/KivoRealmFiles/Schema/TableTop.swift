/// The root node of a table.
struct TableTop {
    let node: Node
    private let slots: IntegerArray
    let key: RealmFile.TableKey
    let kind: RealmFile.Table.Kind
    let root: Int64
    let primaryKey: ColumnKey?

    private static let inverseLinkType = 14

    init(_ file: RealmFile, index: Int) throws(RealmFileError) {
        node = try file.view.node(at: file.group.tables[index])
        slots = try node.references("a table")
        guard slots.count <= 14, !node.isInner else { throw node.damaged("a table has \(slots.count) parts") }
        guard let key = slots.slot(3).tagged, key <= UInt64(Int32.max), Int(key & 0xFFFF) == index else {
            throw node.damaged("a table does not have the key of its place")
        }
        self.key = RealmFile.TableKey(rawValue: UInt32(key))
        root = slots.slot(2).ref
        guard root != 0 else { throw node.damaged("a table lacks its objects") }
        // A table without a primary key has no tagged number here. The number 0 is a key: that of a first column of integers.
        primaryKey = slots.slot(11).tagged.map { ColumnKey(bits: Int64($0)) }
        // Files before format 20 do not have the flags, and upgraded ones may have 0 instead.
        guard
            let kind = RealmFile.Table.Kind(rawValue: Int(truncatingIfNeeded: slots.slot(12).tagged ?? 0) & 3)
        else {
            throw node.damaged("a table of an unknown kind")
        }
        self.kind = kind
    }

    /// Returns the key of the table at an index, from its root node alone.
    static func key(_ file: RealmFile, index: Int) -> UInt64? {
        guard index < file.group.tables.count, file.group.tables[index] != 0,
            let node = try? file.view.node(at: file.group.tables[index])
        else { return nil }
        return (try? node.references("a table"))?.slot(3).tagged
    }

    /// Returns the properties, and the columns with inverse links, which follow them and have no names.
    func columns(
        _ file: RealmFile
    ) throws(RealmFileError) -> ([RealmFile.Property], [RealmFile.InverseColumn]) {
        let view = file.view
        let spec = try view.node(at: slots.slot(0).ref)
        let parts = try spec.references("the columns of a table")
        let types = try view.node(at: parts.slot(0).ref).integers("the types of columns")
        let names = try BlobLeaf(view.node(at: parts.slot(1).ref), .text(nullable: false), view)
        let attributes = try view.node(at: parts.slot(2).ref).integers("the attributes of columns")
        let keys = try view.node(at: parts.slot(5).ref).integers("the keys of columns")
        guard types.count == keys.count, attributes.count == keys.count, names.count <= keys.count else {
            throw spec.damaged("the columns of a table do not have a type, a name and a key each")
        }
        guard keys.count <= view.columnLimit else {
            throw spec.damaged("more columns than fit into the file")
        }
        let distinct = try array(parts.slot(4), "the lists of enumerated strings", view, .references)
        let indexes = try array(slots.slot(4), "the indexes of a table", view, .references)
        let oppositeTables = try array(slots.slot(7), "the targets of links", view, .integers)
        let oppositeColumns = try array(slots.slot(8), "the columns of inverse links", view, .integers)
        var properties: [RealmFile.Property] = []
        var inverse: [RealmFile.InverseColumn] = []
        var seen: Set<Int> = []
        for position in 0..<keys.count {
            let columnKey = ColumnKey(bits: keys[position])
            let index = columnKey.leafIndex
            // This also bounds the number of columns.
            guard seen.insert(index).inserted else { throw spec.damaged("two columns have the same place") }
            let opposite = index < oppositeTables.count ? oppositeTables[index] : noTable
            if columnKey.type == TableTop.inverseLinkType {
                guard position >= names.count, index < oppositeColumns.count,
                    let origin = UInt32(exactly: opposite)
                else { throw spec.damaged("a column with inverse links leads nowhere") }
                let originKey = ColumnKey(bits: oppositeColumns[index])
                inverse.append(
                    RealmFile.InverseColumn(
                        leafIndex: index, origin: RealmFile.TableKey(rawValue: origin),
                        originIndex: originKey.leafIndex, originType: originKey.type))
                continue
            }
            guard position < names.count else { throw spec.damaged("a column has no name") }
            guard let type = RealmFile.PropertyType(columnType: columnKey.type) else {
                throw spec.damaged("a column has the unknown type \(columnKey.type)")
            }
            let collection = try collection(columnKey, spec)
            var target: RealmFile.TableKey?
            if type == .link {
                guard let opposite = UInt32(exactly: opposite), Int64(opposite) != noTable,
                    TableTop.key(file, index: Int(opposite & 0xFFFF)) == UInt64(opposite)
                else { throw spec.damaged("a column with links leads to no table") }
                target = RealmFile.TableKey(rawValue: opposite)
            }
            let isNullable =
                switch (type, collection) {
                case (.link, nil), (.link, .dictionary), (.mixed, _): true
                case (.link, .some): false
                default: columnKey.attributes.contains(.nullable)
                }
            let extra = ColumnAttributes(rawValue: Int(truncatingIfNeeded: attributes[position]))
            let enumerated = type == .string && position < distinct.count ? distinct.slot(position).ref : 0
            let hasIntKeys = types[position] >> 16 == 0
            properties.append(
                RealmFile.Property(
                    name: try names.name(at: position, view), type: type, isNullable: isNullable,
                    collection: collection,
                    keyType: collection == .dictionary ? hasIntKeys ? .int : .string : nil,
                    targetTable: target,
                    targetClassName: target.map { RealmFile.Table.className(file.group.names[$0.index]) },
                    isIndexed: index < indexes.count && indexes.slot(index).ref != 0
                        && !extra.contains(.fullText),
                    isFullTextIndexed: extra.contains(.fullText), isEnumerated: enumerated != 0,
                    columnKey: columnKey.bits,
                    layout: ColumnLayout(
                        leafIndex: index,
                        element: ElementKind(
                            type: type, isNullable: isNullable, distinct: collection == nil ? enumerated : 0),
                        collection: collection, hasIntKeys: hasIntKeys, target: target?.rawValue)))
        }
        return (properties, inverse)
    }

    /// The number that represents no table in the list of targets.
    private var noTable: Int64 { 0x7FFF_FFFF }

    private func collection(
        _ key: ColumnKey, _ spec: Node
    ) throws(RealmFileError) -> RealmFile.CollectionKind? {
        let attributes = key.attributes
        switch attributes.intersection([.list, .set, .dictionary]) {
        case []: return key.type == 13 ? .list : nil
        case .list: return .list
        case .set: return .set
        case .dictionary: return .dictionary
        default: throw spec.damaged("a column is two kinds of collection")
        }
    }

    private enum ArrayKind { case integers, references }

    /// Returns an array that may be missing.
    private func array(
        _ slot: Slot, _ what: String, _ view: FileView, _ kind: ArrayKind
    ) throws(RealmFileError) -> IntegerArray {
        switch slot {
        case .none: return IntegerArray()
        case .tagged: throw node.damaged("a number stands where \(what) should be")
        case .ref(let ref):
            let node = try view.node(at: ref)
            return kind == .integers ? try node.integers(what) : try node.references(what)
        }
    }
}

/// The storage of a column's values.
package struct ColumnLayout {
    /// The index of the column's leaf in a cluster, and of its entries in the arrays of the table.
    let leafIndex: Int
    package let element: ElementKind
    package var collection: RealmFile.CollectionKind?
    /// Whether the keys of a dictionary are integers instead of strings.
    package var hasIntKeys = false
    /// The key of the table to which links lead.
    var target: UInt32?

    /// The layout of the elements of a collection in a value of any type.
    package static let mixed = ColumnLayout(leafIndex: 0, element: .mixed)
    /// The maximum depth of nested collections in values of any type. The SDKs allow 100.
    private static let deepest = 128

    /// Throws if a collection at `root` is nested too deeply.
    package static func check(level: Int, of root: Int64) throws(RealmFileError) {
        guard level <= deepest else {
            throw .damaged(
                offset: Int(truncatingIfNeeded: root), reason: "collections are too deep in each other")
        }
    }
}

/// The parts of a column's key of 63 bits.
struct ColumnKey {
    let bits: Int64

    var leafIndex: Int { Int(bits & 0xFFFF) }
    var type: Int { Int(bits >> 16 & 0x3F) }
    var attributes: ColumnAttributes { ColumnAttributes(rawValue: Int(bits >> 22 & 0xFF)) }
}

/// The attributes of a column besides its type.
struct ColumnAttributes: OptionSet {
    let rawValue: Int

    static let nullable = ColumnAttributes(rawValue: 16)
    static let list = ColumnAttributes(rawValue: 32)
    static let dictionary = ColumnAttributes(rawValue: 64)
    static let set = ColumnAttributes(rawValue: 128)
    static let fullText = ColumnAttributes(rawValue: 256)
}
