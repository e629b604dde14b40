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
