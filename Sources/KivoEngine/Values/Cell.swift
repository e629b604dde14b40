/// A value of a column or sequence, outside its node. Strings are equal if their bytes are equal, as in queries and indexes.
/// Swift's `==` also equates canonically equivalent strings with different bytes.
@usableFromInline package enum Cell: Sendable, Equatable {
    case null
    case word(UInt64)
    case wide(UInt64, UInt64)
    case string(String)
    case bytes([UInt8])
    /// The key of an object; 0 for no object.
    case link(ObjectKey)
    /// A value of an any column that consists of one word. Null, strings and bytes use the same cases as in other columns.
    case typedWord(UInt64, AnyTag)
    /// A value of an any column that consists of two words.
    case typedWide(UInt64, UInt64, AnyTag)
    /// A link in an any column: to an object, or to a list or dictionary of its own (``AnyContainer``).
    case typedLink(RowID)

    /// Returns whether two cells are of the same kind and have the same bits or bytes.
    @usableFromInline package static func == (a: Cell, b: Cell) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.word(let x), .word(let y)): x == y
        case (.wide(let x0, let x1), .wide(let y0, let y1)): x0 == y0 && x1 == y1
        case (.string(let x), .string(let y)): haveSameBytes(x, y)
        case (.bytes(let x), .bytes(let y)): x == y
        case (.link(let x), .link(let y)): x == y
        case (.typedWord(let x, let s), .typedWord(let y, let t)): s == t && x == y
        case (.typedWide(let x0, let x1, let s), .typedWide(let y0, let y1, let t)):
            s == t && x0 == y0 && x1 == y1
        case (.typedLink(let x), .typedLink(let y)): x == y
        default: false
        }
    }

    /// Returns whether two strings consist of the same bytes.
    @usableFromInline package static func haveSameBytes(_ a: String, _ b: String) -> Bool {
        if a.utf8.count != b.utf8.count { return false }
        var (a, b) = (a, b)
        return a.withUTF8 { a in
            b.withUTF8 { b in haveSameBytes(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) }
        }
    }

    /// Returns whether two buffers of the same size have the same bytes. Eight of them are compared at a time.
    @inline(__always)
    private static func haveSameBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset &+ 8 <= a.count {
            let (x, y) = (
                a.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            if x != y { return false }
            offset &+= 8
        }
        while offset < a.count {
            if a[offset] != b[offset] { return false }
            offset &+= 1
        }
        return true
    }

    /// The key of a link, or 0.
    @usableFromInline package var linkKey: ObjectKey {
        if case .link(let key) = self { key } else { 0 }
    }

    /// The key by which an occurrence index finds an element: the key of its object, or 0. Objects of different classes may share
    /// a key.
    @usableFromInline package var occurrenceKey: ObjectKey {
        switch self {
        case .link(let key): key
        case .typedLink(let row): row.key ^ Int64(row.table) << 40
        default: 0
        }
    }
}

extension Cell {
    /// The type of a cell of an any column. Traps on cells of other columns.
    @usableFromInline package var anyTag: AnyTag {
        switch self {
        case .null: .null
        case .string: .string
        case .bytes: .bytes
        case .typedWord(_, let tag), .typedWide(_, _, let tag): tag
        case .typedLink: .link
        case .word, .wide, .link: fatalError("a \(self) is in no any column")
        }
    }

    /// The row to which the cell of an any column leads, or nil if it is not a link.
    @usableFromInline package var target: RowID? { if case .typedLink(let row) = self { row } else { nil } }
}

extension Cell {
    /// Creates a string or bytes from memory.
    init(_ bytes: UnsafeRawBufferPointer, isString: Bool) {
        self = isString ? .string(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
    }

    /// Returns the empty string, or empty bytes.
    static func empty(isString: Bool) -> Cell { isString ? .string("") : .bytes([]) }

    /// Whether the cell is a string.
    var isString: Bool { if case .string = self { true } else { false } }

    /// The number of bytes of a string or of bytes; 0 for other values.
    @usableFromInline package var byteCount: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .bytes(let bytes): bytes.count
        default: 0
        }
    }
}

extension Cell {
    /// The hash of null, which is also the hash of one word.
    static let nullHash: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The seed of the hashes that are only used in this process.
    static let processSeed = UInt64.random(in: .min ... .max)

    /// Returns a hash that is equal for equal values. It is a bijection for words, so that words with equal hashes are equal. It
    /// is the same in each process, because indexes are stored in files. The seed makes hashes of strings and bytes hard to
    /// predict.
    func indexHash(seed: UInt64) -> UInt64 {
        switch self {
        case .null: return Self.nullHash
        case .word(let word): return Self.mix(word)
        case .link(let key): return Self.mix(UInt64(bitPattern: key))
        case .wide(let a, let b): return Self.mix(Self.mix(a) ^ b)
        case .string(var string):
            return string.withUTF8 { Self.hash(UnsafeRawBufferPointer($0), seed) }
        case .bytes(let bytes): return bytes.withUnsafeBytes { Self.hash($0, seed) }
        // The table number does not contribute to the hash; candidates are compared.
        case .typedLink(let row): return Self.mix(UInt64(bitPattern: row.key))
        case .typedWord(let word, let tag):
            // Equal numbers have equal hashes, whatever their types.
            if let number = AnyNumber(self) { return number.hash }
            // Dates are equal if their bits are equal as doubles.
            let bits = tag == .date ? UInt64(bitPattern: CellOrder.rank(word)) : word
            return Self.mix(bits ^ UInt64(tag.rawValue) << 56)
        case .typedWide(let a, let b, _):
            if let number = AnyNumber(self) { return number.hash }
            return Self.mix(Self.mix(a) ^ b)
        }
    }

    static func mix(_ word: UInt64) -> UInt64 {
        var z = word &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Folds a 128-bit product for each 16 bytes, and one for the rest and the count.
    private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let (high, low) = a.multipliedFullWidth(by: b)
            return high ^ low
        }
        func word(_ offset: Int, _ count: Int) -> UInt64 {
            if count >= 8 {
                return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            var word: UInt64 = 0
            for index in 0..<max(count, 0) { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
            return word
        }
        var (state, offset) = (mix(seed), 0)
        while bytes.count - offset > 16 {
            state = fold(word(offset, 8) ^ 0x9E37_79B9_7F4A_7C15, word(offset + 8, 8) ^ state)
            offset += 16
        }
        let rest = bytes.count - offset
        state = fold(word(offset, rest) ^ 0xBF58_476D_1CE4_E5B9, word(offset + 8, rest - 8) ^ state)
        return mix(state ^ UInt64(bytes.count))
    }
}
