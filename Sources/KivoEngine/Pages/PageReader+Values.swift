/// The values that pages consist of.
extension PageReader {
    mutating func readBits() throws(PageFlaw) -> Bits256 {
        let mask = try readByte()
        var bits = Bits256()
        for index in 0..<4 where mask >> UInt8(index) & 1 != 0 { bits[word: index] = try readWord() }
        return bits
    }

    /// What stands for a string or for bytes.
    enum Contents {
        case null
        case inPlace(UnsafeRawBufferPointer)
        /// They have a page of their own.
        case elsewhere
    }

    /// What stands for a string or for bytes.
    mutating func readContents() throws(PageFlaw) -> Contents {
        var number = try readNumber()
        if doublesLengths {
            if number == 1 { return .elsewhere }
            guard number & 1 == 0 else { throw PageFlaw("a length is odd") }
            number /= 2
        }
        if number == 0 { return .null }
        try need(number - 1)
        defer { position += number - 1 }
        return .inPlace(UnsafeRawBufferPointer(rebasing: bytes[position..<position + number - 1]))
    }

    /// A string or bytes, or nil if they have a page of their own.
    mutating func readCell(isString: Bool) throws(PageFlaw) -> Cell? {
        switch try readContents() {
        case .null: .null
        case .inPlace(let bytes):
            isString ? .string(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
        case .elsewhere: nil
        }
    }

    /// A value of any type, or whether it is a string if it has a page of its own.
    mutating func readAny() throws(PageFlaw) -> (cell: Cell?, isString: Bool) {
        guard let tag = AnyTag(rawValue: try readByte()) else { throw PageFlaw("a value is of no type") }
        if tag == .string || tag == .bytes {
            let cell = try readCell(isString: tag == .string)
            // An any column keeps null as a value of its own.
            return (cell == .null ? (tag == .string ? .string("") : .bytes([])) : cell, tag == .string)
        }
        return (try readWords(tag), false)
    }

    private mutating func readWords(_ tag: AnyTag) throws(PageFlaw) -> Cell {
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
        case .string, .bytes: throw PageFlaw("a value is of no type")
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

    /// An element, or whether it is a string if it has a page of its own.
    mutating func readElement(_ element: ElementKind) throws(PageFlaw) -> (cell: Cell?, isString: Bool) {
        switch element {
        case .string, .bytes: return (try readCell(isString: element == .string), element == .string)
        case .any: return try readAny()
        default: return (try readWords(element), false)
        }
    }

    private mutating func readWords(_ element: ElementKind) throws(PageFlaw) -> Cell {
        switch element {
        case .word: return .word(try readWord())
        case .wide: return .wide(try readWord(), try readWord())
        case .link: return .link(try readKey())
        case .string, .bytes, .any: throw PageFlaw("an element is of no type")
        case .optionalWord: return try readByte() == 0 ? .null : .word(try readWord())
        case .optionalWide: return try readByte() == 0 ? .null : .wide(try readWord(), try readWord())
        }
    }
}
