import KivoEngine

/// A reader of the payload of a record. A correct checksum means only that the payload is as it was written. It can still be
/// invalid, so nothing in it is trusted.
package struct ByteReader {
    /// The payload, which the replay owns. Valid during the call that passes it.
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The store's tables by the numbers that the file gives them. Values of any type can link to them.
    var tables: [Int: TableID] = [:]

    /// The payload's name in errors.
    private let subject: String

    /// Creates a reader at the start of a payload.
    ///
    /// - Parameter subject: The payload's name in errors.
    package init(_ bytes: UnsafeRawBufferPointer, of subject: String = "a commit") {
        (self.bytes, self.subject) = (bytes, subject)
    }

    /// Whether everything was read.
    package var isAtEnd: Bool { position == bytes.count }

    private func need(_ count: Int) throws(JournalError) {
        guard count <= bytes.count - position else { throw malformed("it ends early") }
    }

    /// Returns the error of a payload that is not as it must be.
    package func malformed(_ what: String) -> JournalError {
        .corrupt(offset: position, reason: "\(subject) makes no sense: \(what)")
    }

    /// Reads a byte.
    package mutating func readByte() throws(JournalError) -> UInt8 {
        try need(1)
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads a Boolean value.
    package mutating func readFlag() throws(JournalError) -> Bool {
        let byte = try readByte()
        guard byte < 2 else { throw malformed("a flag is neither set nor unset") }
        return byte == 1
    }

    /// Reads a number that is not a key. Throws if it does not fit into an `Int`.
    package mutating func readNumber() throws(JournalError) -> Int {
        guard let number = Int(exactly: try readKey()) else { throw malformed("a number is too large") }
        return number
    }

    /// Reads a key, or another number of up to 63 bits. None is negative.
    package mutating func readKey() throws(JournalError) -> Int64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            guard shift < 63 else { throw malformed("a number is too long") }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int64(number) }
            shift += 7
        }
    }

    /// Reads a number of items. Throws unless there are enough bytes for so many items of at least `size` bytes each.
    package mutating func readCount(ofAtLeast size: Int = 1) throws(JournalError) -> Int {
        let count = try readNumber()
        try need(count, ofAtLeast: size)
        return count
    }

    /// Throws unless there are enough bytes for `count` items of at least `size` bytes each.
    func need(_ count: Int, ofAtLeast size: Int) throws(JournalError) {
        guard count <= (bytes.count - position) / size else { throw malformed("it ends early") }
    }

    /// Reads eight bytes.
    package mutating func readWord() throws(JournalError) -> UInt64 {
        try need(8)
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// Reads a string.
    package mutating func readString() throws(JournalError) -> String {
        let count = try readCount()
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        guard let string = text.withMemoryRebound(to: UInt8.self, { String(validating: $0, as: UTF8.self) })
        else { throw malformed("a string is no text") }
        position += count
        return string
    }

    /// Reads a number of bytes, and these.
    package mutating func readBytes() throws(JournalError) -> [UInt8] {
        let count = try readCount()
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}

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
