/// A leaf of values of any type. For each value it has a number with the type and either the value or an index in another array.
package struct MixedLeaf {
    private let composites: IntegerArray
    private let integers: IntegerArray
    private let pairs: IntegerArray
    private let strings: BlobLeaf?
    private let collections: IntegerArray
    /// The offset of the node, for errors.
    private let ref: Int

    init(_ node: Node, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        let refs = try node.references("values of any type")
        // Earlier versions have 4 parts, without the collections.
        guard (4...6).contains(refs.count) else {
            throw node.damaged("a leaf of values of any type has \(refs.count) parts, not 4 to 6")
        }
        func part(_ index: Int) throws(RealmFileError) -> Node? {
            switch refs.slot(index) {
            case .none: return nil
            case .ref(let ref): return try view.node(at: ref)
            case .tagged: throw node.damaged("a number stands where values of any type should be")
            }
        }
        guard let first = try part(0) else {
            throw node.damaged("the types of values of any type are missing")
        }
        composites = try first.integers("the types of values")
        integers = try part(1)?.integers("values of any type") ?? IntegerArray()
        pairs = try part(2)?.integers("values of any type") ?? IntegerArray()
        if let node = try part(3) {
            strings = try BlobLeaf(node, .text(nullable: true), view)
        } else {
            strings = nil
        }
        collections = try part(4)?.references("collections in values of any type") ?? IntegerArray()
    }

    var count: Int { composites.count }

    func value(at index: Int, _ view: FileView) throws(RealmFileError) -> RawValue {
        let composite = composites[index]
        if composite == 0 { return .null }
        let slot = composite >> 5 & 7
        let rest = composite >> 8
        switch (composite & 31, slot) {
        case (1, 0): return .int(rest)
        case (1, 1): return .int(try integer(rest))
        case (2, 0): return .bool(rest != 0)
        case (3, 3): return .string(try bytes(rest, view))
        case (5, 3): return .data(try bytes(rest, view))
        case (9, 2):
            let (seconds, nanoseconds) = try pair(rest)
            return .date(try RealmFile.Timestamp(seconds: seconds, nanoseconds: nanoseconds, ref: ref))
        case (10, 1): return .float(UInt32(truncatingIfNeeded: try integer(rest)))
        case (11, 1): return .double(UInt64(bitPattern: try integer(rest)))
        case (12, 2):
            let (low, high) = try pair(rest)
            return .decimal128(
                RealmFile.Decimal128(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)))
        case (13, 1): return MixedLeaf.link(try integer(rest))
        case (16, 3): return .objectID(try bytes(rest, count: 12, view))
        case (17, 2):
            let (table, key) = try pair(rest)
            guard key >= 0 else { return .unresolved(key) }
            guard let table = UInt32(exactly: table) else { throw damaged("a link leads to no table") }
            return .typedLink(table: table, key: key)
        case (18, 3): return .uuid(try bytes(rest, count: 16, view))
        case (20, 4): return .list(try collection(rest))
        case (22, 4): return .dictionary(try collection(rest))
        default: throw damaged("a value of any type has type \(composite & 31) in part \(slot)")
        }
    }

    /// Returns the link for a key in a list of links.
    static func link(_ key: Int64) -> RawValue {
        // −1 represents no object.
        if key >= 0 { .link(key) } else if key == -1 { .null } else { .unresolved(key) }
    }

    private func integer(_ index: Int64) throws(RealmFileError) -> Int64 {
        guard index >= 0, index < integers.count else { throw damaged("a value of any type is missing") }
        return integers[Int(index)]
    }

    private func pair(_ index: Int64) throws(RealmFileError) -> (Int64, Int64) {
        guard index >= 0, index < pairs.count / 2 else { throw damaged("a value of any type is missing") }
        return (pairs[Int(index) * 2], pairs[Int(index) * 2 + 1])
    }

    private func bytes(_ index: Int64, _ view: FileView) throws(RealmFileError) -> RawBytes {
        guard let strings, index >= 0, index < strings.count else {
            throw damaged("a value of any type is missing")
        }
        // Empty data can be stored as null.
        return try strings.bytes(at: Int(index), view) ?? RawBytes(UnsafeRawPointer(bitPattern: 8)!, 0)
    }

    private func bytes(
        _ index: Int64, count: Int, _ view: FileView
    ) throws(RealmFileError) -> UnsafeRawPointer {
        let bytes = try bytes(index, view)
        guard bytes.pieces == 0, bytes.count == count else { throw damaged("an id has \(bytes.count) bytes") }
        return bytes.whole.baseAddress!
    }

    private func collection(_ index: Int64) throws(RealmFileError) -> Int64 {
        guard index >= 0, index < collections.count else {
            throw damaged("a collection in a value is missing")
        }
        switch collections.slot(Int(index)) {
        case .none: return 0
        case .ref(let ref): return ref
        case .tagged: throw damaged("a number stands where a collection in a value should be")
        }
    }

    private func damaged(_ reason: String) -> RealmFileError { .damaged(offset: ref, reason: reason) }
}
