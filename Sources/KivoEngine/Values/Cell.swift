/// One value of a column or sequence, outside of its node. Strings are equal if their bytes are, as queries and indexes
/// have it; by Swift's `==` strings of other bytes can be equal.
public enum Cell: Sendable, Equatable {
    case null
    case word(UInt64)
    case wide(UInt64, UInt64)
    case string(String)
    case bytes([UInt8])
    /// The key of an object; 0 is no object.
    case link(ObjectKey)

    /// Whether two cells are of the same kind and have the same bits or bytes.
    public static func == (a: Cell, b: Cell) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.word(let x), .word(let y)): x == y
        case (.wide(let x0, let x1), .wide(let y0, let y1)): x0 == y0 && x1 == y1
        case (.string(let x), .string(let y)): haveSameBytes(x, y)
        case (.bytes(let x), .bytes(let y)): x == y
        case (.link(let x), .link(let y)): x == y
        default: false
        }
    }

    /// Whether two strings consist of the same bytes.
    public static func haveSameBytes(_ a: String, _ b: String) -> Bool {
        var (a, b) = (a, b)
        return a.withUTF8 { a in b.withUTF8 { b in a.elementsEqual(b) } }
    }

    /// The key of a link, or 0.
    public var linkKey: ObjectKey {
        if case .link(let key) = self { key } else { 0 }
    }

    /// The hash of null, which one word has as well.
    static let nullHash: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// A hash that is equal for equal values: a bijection for words, so that equal hashes of words are equal words.
    var indexHash: UInt64 {
        switch self {
        case .null: return Self.nullHash
        case .word(let word): return Self.mix(word)
        case .link(let key): return Self.mix(UInt64(bitPattern: key))
        case .wide(let a, let b): return Self.mix(Self.mix(a) ^ b)
        case .string(var string):
            return string.withUTF8 { Self.hash(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): return bytes.withUnsafeBytes { Self.hash($0) }
        }
    }

    private static func mix(_ word: UInt64) -> UInt64 {
        var z = word &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        // An index looks at the highest bits first, which a hash of 32 bits does not have.
        return MemoryLayout<Int>.size == 8 ? hash : mix(hash)
    }
}
