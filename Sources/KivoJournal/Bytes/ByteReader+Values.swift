import KivoEngine

extension ByteReader {
    /// Reads a bitmap: a mask that says which of its four words are not zero, then these words.
    mutating func readBits() throws(JournalError) -> Bits256 {
        let mask = try readByte()
        guard mask < 16 else { throw malformed("a bitmap has too many words") }
        var bits = Bits256()
        for index in 0..<4 where mask >> UInt8(index) & 1 != 0 { bits[word: index] = try readWord() }
        return bits
    }

    /// Reads the value of one row in a column without links and sequences.
    mutating func readCell(_ spec: ColumnSpec, isNull: Bool) throws(JournalError) -> Cell {
        switch spec.kind {
        case .word:
            let word = try readWord()
            return isNull ? .null : .word(word)
        case .wide:
            let (a, b) = (try readWord(), try readWord())
            return isNull ? .null : .wide(a, b)
        case .string:
            let isPresent = spec.isOptional ? try readFlag() : true
            return isPresent ? .string(try readString()) : .null
        case .bytes:
            let isPresent = spec.isOptional ? try readFlag() : true
            return isPresent ? .bytes(try readBytes()) : .null
        case .any: return try readAny()
        case .link, .sequence, .keySet: throw malformed("a column holds no values")
        }
    }

    /// Reads the number of elements of a sequence, then all elements.
    mutating func readElements(_ spec: ColumnSpec) throws(JournalError) -> [Cell] {
        try readElements(spec, count: try readCount(ofAtLeast: ByteReader.leastSize(spec.element!)))
    }

    /// Reads `count` elements of a sequence. Throws before it allocates memory if the record has too few bytes for them.
    mutating func readElements(_ spec: ColumnSpec, count: Int) throws(JournalError) -> [Cell] {
        let kind = spec.element!
        try need(count, ofAtLeast: ByteReader.leastSize(kind))
        var elements: [Cell] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try readElement(kind, isOptional: spec.isOptional)) }
        return elements
    }

    private mutating func readElement(_ kind: ElementKind, isOptional: Bool) throws(JournalError) -> Cell {
        switch kind {
        case .word: return .word(try readWord())
        case .link: return .link(try readKey())
        case .any: return try readAny()
        case .wide: return .wide(try readWord(), try readWord())
        case .optionalWord: return try readFlag() ? .word(try readWord()) : .null
        case .optionalWide: return try readFlag() ? .wide(try readWord(), try readWord()) : .null
        case .string, .bytes:
            guard try readFlag() else {
                if !isOptional { throw malformed("an element that cannot be null is") }
                return .null
            }
            return kind == .string ? .string(try readString()) : .bytes(try readBytes())
        }
    }

    /// Reads a value of any type. A link leads to a row of the store's table.
    private mutating func readAny() throws(JournalError) -> Cell {
        guard let tag = AnyTag(rawValue: try readByte()) else {
            throw malformed("a value is of an unknown type")
        }
        switch tag {
        case .null: return .null
        case .bool, .int, .float, .double, .date:
            let word = try readWord()
            guard tag != .bool || word <= 1 else { throw malformed("a boolean is neither true nor false") }
            guard tag != .float || AnyTag.isSingle(word) else {
                throw malformed("a number of single precision has more digits than it can have")
            }
            return .typedWord(word, tag)
        case .decimal128, .objectId, .uuid:
            let (high, low) = (try readWord(), try readWord())
            guard tag != .objectId || low <= UInt32.max else {
                throw malformed("an object id has too many bytes")
            }
            return .typedWide(high, low, tag)
        case .string: return .string(try readString())
        case .bytes: return .bytes(try readBytes())
        case .link:
            guard let table = tables[try readNumber()] else {
                throw malformed("a value leads to an unknown table")
            }
            return .typedLink(RowID(table: table, key: try readKey()))
        }
    }

    /// The fewest bytes that an element takes.
    private static func leastSize(_ kind: ElementKind) -> Int {
        switch kind {
        case .word: 8
        case .wide: 16
        case .optionalWord, .optionalWide, .string, .bytes, .link, .any: 1
        }
    }
}
