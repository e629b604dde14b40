/// The values that pages consist of.
extension PageReader {
    mutating func readBits() throws(PageFlaw) -> Bits256 {
        let mask = try readByte()
        var bits = Bits256()
        for index in 0..<4 where mask >> UInt8(index) & 1 != 0 { bits[word: index] = try readWord() }
        return bits
    }

    /// The bytes of a string or of data; nil for null.
    mutating func readContents() throws(PageFlaw) -> UnsafeRawBufferPointer? {
        let number = try readNumber()
        if number == 0 { return nil }
        try need(number - 1)
        defer { position += number - 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + number - 1])
    }

    mutating func readString() throws(PageFlaw) -> String? {
        guard let contents = try readContents() else { return nil }
        return String(decoding: contents, as: UTF8.self)
    }

    mutating func readBytes() throws(PageFlaw) -> [UInt8]? {
        guard let contents = try readContents() else { return nil }
        return Array(contents)
    }

    mutating func readAny() throws(PageFlaw) -> Cell {
        guard let tag = AnyTag(rawValue: try readByte()) else { throw PageFlaw("a value is of no type") }
        switch tag {
        case .null: return .null
        case .bool, .int, .float, .double, .date:
            let word = try readWord()
            guard tag != .bool || word <= 1 else { throw PageFlaw("a boolean is neither true nor false") }
            guard tag != .float || AnyTag.isSingle(word) else {
                throw PageFlaw("a number of single precision has more digits than it can have")
            }
            return .typedWord(word, tag)
        case .decimal128, .objectId, .uuid:
            let (high, low) = (try readWord(), try readWord())
            guard tag != .objectId || low <= UInt32.max else {
                throw PageFlaw("an object id has too many bytes")
            }
            return .typedWide(high, low, tag)
        case .string: return .string(try readString() ?? "")
        case .bytes: return .bytes(try readBytes() ?? [])
        case .link:
            let table = try readNumber()
            guard catalog.tables.indices.contains(table), catalog.tables[table].isAnyTarget,
                catalog.tables[table].isDefined
            else {
                throw PageFlaw("a value leads to an unknown table")
            }
            return .typedLink(RowID(table: table, key: try readKey()))
        }
    }

    mutating func readElement(_ element: ElementKind) throws(PageFlaw) -> Cell {
        switch element {
        case .word: return .word(try readWord())
        case .wide: return .wide(try readWord(), try readWord())
        case .link: return .link(try readKey())
        case .string: return try readString().map(Cell.string) ?? .null
        case .bytes: return try readBytes().map(Cell.bytes) ?? .null
        case .any: return try readAny()
        case .optionalWord: return try readByte() == 0 ? .null : .word(try readWord())
        case .optionalWide: return try readByte() == 0 ? .null : .wide(try readWord(), try readWord())
        }
    }
}
