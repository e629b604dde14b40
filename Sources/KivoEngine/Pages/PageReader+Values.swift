/// Decoding of the values in pages.
extension PageReader {
    mutating func readBits() throws(PageFlaw) -> Bits256 {
        let mask = try readByte()
        var bits = Bits256()
        for index in 0..<4 where mask >> UInt8(index) & 1 != 0 { bits[word: index] = try readWord() }
        return bits
    }

    /// The form in which a page contains a string or bytes.
    enum Contents {
        case null
        case inPlace(UnsafeRawBufferPointer)
        /// The value has a page of its own.
        case elsewhere
    }

    /// Reads a string or bytes.
    mutating func readContents() throws(PageFlaw) -> Contents {
        var number = try readNumber()
        if doublesLengths {
            if number == 1 { return .elsewhere }
            guard number & 1 == 0 else { throw PageFlaw("a length is odd") }
            number /= 2
        }
        if number == 0 { return .null }
        try require(number - 1)
        defer { position += number - 1 }
        return .inPlace(UnsafeRawBufferPointer(rebasing: bytes[position..<position + number - 1]))
    }

    /// Reads a string or bytes for a slot. Returns nil if the value has a page of its own; the slot then refers to that page. In
    /// a node with empty slots, an empty value is returned as a placeholder instead.
    mutating func readCell(
        isString: Bool, for slot: UnsafeMutableRawPointer, isAny: Bool = false
    ) throws(PageFlaw) -> Cell? {
        switch try readContents() {
        case .null: return .null
        case .inPlace(let bytes): return Cell(bytes, isString: isString)
        case .elsewhere:
            let page = try nextReference(slot, .value(isString: isString))
            if isUnlinked { return .empty(isString: isString) }
            if isAny { AnySlot(slot, 0).clear(isString ? .string : .bytes) }
            LargeSlot.refer(slot, to: page, isString: isString)
            return nil
        }
    }

    /// Reads a value of any type for a slot, like ``readCell(isString:for:isAny:)``.
    mutating func readAny(for slot: UnsafeMutableRawPointer) throws(PageFlaw) -> Cell? {
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
        case .string, .bytes:
            let cell = try readCell(isString: tag == .string, for: slot, isAny: true)
            return cell == .null ? .empty(isString: tag == .string) : cell
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

    /// Reads an element for a slot, like ``readCell(isString:for:isAny:)``.
    mutating func readElement(
        _ element: ElementKind, for slot: UnsafeMutableRawPointer
    ) throws(PageFlaw) -> Cell? {
        switch element {
        case .word: return .word(try readWord())
        case .wide: return .wide(try readWord(), try readWord())
        case .link: return .link(try readKey())
        case .string, .bytes: return try readCell(isString: element == .string, for: slot)
        case .any: return try readAny(for: slot)
        case .optionalWord: return try readByte() == 0 ? .null : .word(try readWord())
        case .optionalWide: return try readByte() == 0 ? .null : .wide(try readWord(), try readWord())
        }
    }
}
