/// The kind of a leaf's elements. It follows from the column, and the node must agree with it.
package struct ElementKind {
    package let type: RealmFile.PropertyType
    let isNullable: Bool
    /// The offset of the distinct strings of an enumerated column; 0 for any other.
    package var distinct: Int64 = 0

    static let mixed = ElementKind(type: .mixed, isNullable: true)
    package static let key = ElementKind(type: .int, isNullable: false)
}

/// The values of one column in a cluster, or some elements of a collection.
package enum Leaf {
    case integers(IntegerArray)
    case nullableIntegers(NullableIntegers)
    case bools(IntegerArray, nullable: Bool, ref: Int)
    case strings(StringLeaf)
    case data(BlobLeaf)
    case dates(DateLeaf)
    case floats(FloatLeaf)
    case doubles(FloatLeaf)
    case decimals(DecimalLeaf)
    case objectIDs(IdentifierLeaf)
    case uuids(IdentifierLeaf)
    /// Keys of objects. In a cluster, the stored number is one more than the key.
    case links(IntegerArray, base: Int64)
    case typedLinks(IntegerArray, ref: Int)
    case mixed(MixedLeaf)
    case collections(IntegerArray, dictionaries: Bool, ref: Int)

    /// Creates the leaf of a node whose elements have a kind.
    ///
    /// - Parameter inCluster: Whether the leaf is in a cluster, where links are stored differently than in collections.
    init(_ node: Node, _ kind: ElementKind, inCluster: Bool, _ view: FileView) throws(RealmFileError) {
        guard !node.isInner else { throw node.damaged("there is an inner node where values should be") }
        switch kind.type {
        case .int where !kind.isNullable: self = .integers(try node.integers("integers"))
        case .int: self = .nullableIntegers(try NullableIntegers(node))
        case .bool: self = .bools(try node.integers("bools"), nullable: kind.isNullable, ref: node.ref)
        case .string:
            self = .strings(try StringLeaf(node, nullable: kind.isNullable, distinct: kind.distinct, view))
        case .data:
            guard node.hasRefs || node.count == 0 else {
                throw node.damaged("there is another kind of node where data should be")
            }
            self = .data(try BlobLeaf(node, .data, view))
        case .date: self = .dates(try DateLeaf(node, view))
        case .float: self = .floats(try FloatLeaf(node, width: 4, nullable: kind.isNullable))
        case .double: self = .doubles(try FloatLeaf(node, width: 8, nullable: kind.isNullable))
        case .decimal128: self = .decimals(try DecimalLeaf(node))
        case .objectID: self = .objectIDs(try IdentifierLeaf(node, length: 12))
        case .uuid: self = .uuids(try IdentifierLeaf(node, length: 16))
        case .link: self = .links(try node.integers("links"), base: inCluster ? 1 : 0)
        case .typedLink: self = .typedLinks(try node.integers("links"), ref: node.ref)
        case .mixed: self = .mixed(try MixedLeaf(node, view))
        }
    }

    package var count: Int {
        switch self {
        case .integers(let array), .bools(let array, _, _), .links(let array, _),
            .collections(let array, _, _):
            array.count
        case .nullableIntegers(let array): array.count
        case .strings(let leaf): leaf.count
        case .data(let leaf): leaf.count
        case .dates(let leaf): leaf.count
        case .floats(let leaf), .doubles(let leaf): leaf.count
        case .decimals(let leaf): leaf.count
        case .objectIDs(let leaf), .uuids(let leaf): leaf.count
        case .typedLinks(let array, _): array.count / 2
        case .mixed(let leaf): leaf.count
        }
    }

    package func value(at index: Int, _ view: FileView) throws(RealmFileError) -> RawValue {
        switch self {
        case .integers(let array): return .int(array[index])
        case .nullableIntegers(let array):
            guard let value = array[index] else { return .null }
            return .int(value)
        case .bools(let array, let nullable, let ref):
            let value = array[index]
            if value == 0 || value == 1 { return .bool(value == 1) }
            guard nullable, value == 3 else {
                throw .damaged(offset: ref, reason: "\(value) stands where a bool should be")
            }
            return .null
        case .strings(let leaf):
            guard let bytes = try leaf.bytes(at: index, view) else { return .null }
            return .string(bytes)
        case .data(let leaf):
            guard let bytes = try leaf.bytes(at: index, view) else { return .null }
            return .data(bytes)
        case .dates(let leaf): return try leaf.value(at: index)
        case .floats(let leaf): return leaf.float(at: index)
        case .doubles(let leaf): return leaf.double(at: index)
        case .decimals(let leaf): return leaf.value(at: index)
        case .objectIDs(let leaf):
            guard let bytes = leaf.bytes(at: index) else { return .null }
            return .objectID(bytes)
        case .uuids(let leaf):
            guard let bytes = leaf.bytes(at: index) else { return .null }
            return .uuid(bytes)
        case .links(let array, let base): return MixedLeaf.link(array[index] &- base)
        case .typedLinks(let array, let ref):
            let table = array[2 * index] &- 1
            let key = array[2 * index + 1] &- 1
            if table == -1, key == -1 { return .null }
            if key < 0 { return .unresolved(key) }
            guard let table = UInt32(exactly: table) else {
                throw .damaged(offset: ref, reason: "a link leads to no table")
            }
            return .typedLink(table: table, key: key)
        case .mixed(let leaf): return try leaf.value(at: index, view)
        case .collections(let array, let dictionaries, let ref):
            let slot = array.slot(index)
            if case .tagged = slot {
                throw .damaged(offset: ref, reason: "a number stands where a collection should be")
            }
            return dictionaries ? .dictionary(slot.ref) : .list(slot.ref)
        }
    }
}
