/// A value in place in the file. It owns no memory, and is valid as long as the file.
package enum RawValue {
    case null
    case int(Int64)
    case bool(Bool)
    case float(UInt32)
    case double(UInt64)
    case string(RawBytes)
    case data(RawBytes)
    case date(RealmFile.Timestamp)
    case decimal128(RealmFile.Decimal128)
    /// The 12 bytes of an object id.
    case objectID(UnsafeRawPointer)
    /// The 16 bytes of a UUID.
    case uuid(UnsafeRawPointer)
    /// The key of an object in the column's target table.
    case link(Int64)
    case typedLink(table: UInt32, key: Int64)
    /// A link to a missing object, with the key that represents it.
    case unresolved(Int64)
    /// The root of a list or a set, 0 if it is empty.
    case list(Int64)
    /// The root of a dictionary, 0 if it is empty.
    case dictionary(Int64)

    /// The type of the value in a column's terms, or nil for null.
    package var type: RealmFile.PropertyType? {
        switch self {
        case .null, .unresolved, .list, .dictionary: nil
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .decimal128: .decimal128
        case .objectID: .objectID
        case .uuid: .uuid
        case .link, .typedLink: .link
        }
    }
}

/// The bytes of a string or of data, in place in the file.
package struct RawBytes {
    /// The bytes; empty if the value is in several pieces.
    package let whole: UnsafeRawBufferPointer
    package let count: Int
    /// The node with the pieces of a value of more than 16 MB, or 0 if the bytes are in one place.
    package let pieces: Int64

    init(_ start: UnsafeRawPointer, _ count: Int) {
        whole = UnsafeRawBufferPointer(start: start, count: count)
        self.count = count
        pieces = 0
    }

    /// Reads a value that has its own node, or several.
    ///
    /// - Parameter hasEnd: Whether a zero byte follows that is not part of the value.
    init(at ref: Int64, hasEnd: Bool, _ view: FileView) throws(RealmFileError) {
        let node = try view.node(at: ref)
        var count: Int
        if node.hasRefs {
            guard node.hasContext else {
                throw node.damaged("there is another kind of node where a value should be")
            }
            let refs = try node.references("the pieces of a value")
            count = 0
            for index in 0..<refs.count {
                let piece = try RawBytes.piece(refs.slot(index).ref, view)
                guard piece.count > 0 else { throw piece.damaged("a piece of a value is empty") }
                count += piece.count
                // Pieces are separate nodes, and therefore not longer in total than the file.
                guard count <= view.limit else {
                    throw node.damaged("the pieces of a value are longer than the file")
                }
            }
            whole = UnsafeRawBufferPointer(start: nil, count: 0)
            pieces = ref
        } else {
            count = try RawBytes.piece(ref, view).count
            whole = UnsafeRawBufferPointer(start: node.payload, count: hasEnd ? max(count - 1, 0) : count)
            pieces = 0
        }
        if hasEnd {
            guard count > 0 else { throw node.damaged("a string ends before its end") }
            count -= 1
        }
        self.count = count
    }

    /// Returns the bytes in the order of the value, in several parts if they are not in one place.
    package func parts(_ view: FileView) throws(RealmFileError) -> [UnsafeRawBufferPointer] {
        if pieces == 0 { return [whole] }
        let refs = try view.node(at: pieces).references("the pieces of a value")
        var parts: [UnsafeRawBufferPointer] = []
        var remaining = count
        for index in 0..<refs.count where remaining > 0 {
            let piece = try RawBytes.piece(refs.slot(index).ref, view)
            let part = UnsafeRawBufferPointer(start: piece.payload, count: min(remaining, piece.count))
            parts.append(part)
            remaining -= part.count
        }
        return parts
    }

    /// Returns a contiguous copy of the bytes.
    package func array(_ view: FileView) throws(RealmFileError) -> [UInt8] {
        if pieces == 0 { return Array(whole) }
        var array: [UInt8] = []
        array.reserveCapacity(count)
        for part in try parts(view) { array.append(contentsOf: part) }
        return array
    }

    /// Returns a negative number if the bytes are ordered before others, 0 if they are equal. Bytes compare as unsigned, and a
    /// prefix is ordered first.
    ///
    /// - Precondition: Each of the two values is contiguous in the file.
    func order(_ other: RawBytes) -> Int {
        var index = 0
        let common = min(whole.count, other.whole.count)
        while index < common {
            let difference = Int(whole[index]) - Int(other.whole[index])
            if difference != 0 { return difference }
            index += 1
        }
        return whole.count - other.whole.count
    }

    private static func piece(_ ref: Int64, _ view: FileView) throws(RealmFileError) -> Node {
        let node = try view.node(at: ref)
        guard !node.hasRefs, node.unit == .some(.none) || node.count == 0 else {
            throw node.damaged("there is another kind of node where the bytes of a value should be")
        }
        return node
    }
}
