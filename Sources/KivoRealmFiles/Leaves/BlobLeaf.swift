/// A leaf of strings or data, in one of three forms.
package struct BlobLeaf {
    /// The type of the values, which determines the byte after each value.
    enum Content {
        case text(nullable: Bool)
        case data
    }

    /// A limit for names, which have at most 63 bytes.
    private static let longestName = 255

    private enum Form { case short, medium, big }

    private let form: Form
    private let isText: Bool
    private let isNullable: Bool
    /// The offset of the node, for errors.
    private let ref: Int
    private let size: UInt32
    /// The number of bytes of a cell in the short form.
    private let width: UInt8
    /// The start of the cells in the short form, or of the bytes in the medium form.
    private let start: UnsafeRawPointer
    /// The number of bytes in the medium form.
    private let byteCount: Int
    /// The end of each value in the medium form, or the node of each value in the big form.
    private let locators: IntegerArray
    /// The array that contains 1 for each null in the medium form.
    private let nulls: IntegerArray

    init(_ node: Node, _ content: Content, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        switch content {
        case .text(let nullable):
            isText = true
            isNullable = nullable
        case .data:
            isText = false
            isNullable = true
        }
        if !node.hasRefs {
            guard node.count == 0 || isText && node.unit == .bytes else {
                throw node.damaged("there is another kind of node where strings or data should be")
            }
            form = .short
            size = UInt32(node.count)
            width = UInt8(node.width)
            start = node.payload
            byteCount = 0
            locators = IntegerArray()
            nulls = IntegerArray()
            return
        }
        let refs = try node.references("strings or data")
        width = 0
        if node.hasContext {
            form = .big
            size = UInt32(refs.count)
            start = node.payload
            byteCount = 0
            locators = refs
            nulls = IntegerArray()
            return
        }
        form = .medium
        guard refs.count == 3 else {
            throw node.damaged("a leaf of strings or data has \(refs.count) parts, not 3")
        }
        locators = try view.node(at: refs.slot(0).ref).integers("the ends of strings or data")
        let bytes = try view.node(at: refs.slot(1).ref)
        guard !bytes.hasRefs, bytes.unit == .some(.none) || bytes.count == 0 else {
            throw bytes.damaged("there is another kind of node where the bytes of strings or data should be")
        }
        start = bytes.payload
        byteCount = bytes.count
        nulls = try view.node(at: refs.slot(2).ref).integers("the nulls of strings or data")
        guard nulls.count == locators.count else {
            throw node.damaged("\(locators.count) strings or data have \(nulls.count) null bits")
        }
        size = UInt32(locators.count)
    }

    var count: Int { Int(size) }

    /// Returns the bytes of a value, or nil for null.
    func bytes(at index: Int, _ view: FileView) throws(RealmFileError) -> RawBytes? {
        switch form {
        case .short:
            precondition(UInt(bitPattern: index) < UInt(size))
            if width == 0 { return isNullable ? nil : RawBytes(start, 0) }
            let cell = start + index * Int(width)
            let unused = cell.load(fromByteOffset: Int(width) - 1, as: UInt8.self)
            if unused < width { return RawBytes(cell, Int(width - 1 - unused)) }
            guard unused == width else { throw damaged("a string is longer than its place") }
            return isNullable ? nil : RawBytes(start, 0)
        case .medium:
            let first = index == 0 ? 0 : locators[index - 1]
            let end = locators[index]
            guard first >= 0, first <= end, end <= byteCount else {
                throw damaged("a string or data ends outside of its place")
            }
            if nulls[index] != 0 { return nil }
            var length = Int(end - first)
            if isText {
                guard length > 0 else { throw damaged("a string ends before its end") }
                length -= 1
            }
            return RawBytes(start + Int(first), length)
        case .big:
            switch locators.slot(index) {
            case .none: return nil
            case .ref(let ref): return try RawBytes(at: ref, hasEnd: isText, view)
            case .tagged: throw damaged("a number stands where a string or data should be")
            }
        }
    }

    /// Returns a value that is the name of a table or a column.
    func name(at index: Int, _ view: FileView) throws(RealmFileError) -> String {
        guard let bytes = try bytes(at: index, view), bytes.pieces == 0, bytes.count <= BlobLeaf.longestName,
            let name = String(validating: bytes.whole, as: UTF8.self)
        else { throw damaged("a name is not valid UTF-8 or too long") }
        return name
    }

    private func damaged(_ reason: String) -> RealmFileError { .damaged(offset: ref, reason: reason) }
}

/// A leaf of strings, each with its bytes or as an index in the column's list of distinct strings.
package struct StringLeaf {
    private let strings: BlobLeaf
    private let indexes: IntegerArray
    let isEnumerated: Bool
    /// The offset of the node, for errors.
    private let ref: Int

    /// - Parameter distinct: The offset of the list of distinct strings, or 0 if the column has none.
    init(_ node: Node, nullable: Bool, distinct: Int64, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        isEnumerated = distinct != 0 && !node.hasRefs && node.unit == .bits
        if isEnumerated {
            indexes = try node.integers("enumerated strings")
            strings = try BlobLeaf(view.node(at: distinct), .text(nullable: true), view)
        } else {
            indexes = IntegerArray()
            strings = try BlobLeaf(node, .text(nullable: nullable), view)
        }
    }

    var count: Int { isEnumerated ? indexes.count : strings.count }

    /// Returns the bytes of a string, or nil for null.
    func bytes(at index: Int, _ view: FileView) throws(RealmFileError) -> RawBytes? {
        if !isEnumerated { return try strings.bytes(at: index, view) }
        guard let index = Int(exactly: indexes[index]), index >= 0, index < strings.count else {
            throw .damaged(offset: ref, reason: "an enumerated string is not in the list of them")
        }
        return try strings.bytes(at: index, view)
    }
}
