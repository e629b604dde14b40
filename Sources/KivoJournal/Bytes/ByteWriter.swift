/// A builder of the payload of a record. Numbers are little-endian.
package struct ByteWriter {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer of nothing.
    package init() {}

    /// Writes a byte.
    package mutating func write(_ byte: UInt8) { bytes.append(byte) }

    /// Writes a Boolean value.
    package mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// Writes a number in as few bytes as it needs, seven bits in each.
    package mutating func write(_ number: Int) { write(Int64(number)) }

    /// Writes a key, or another number that may have more bits than an `Int`.
    package mutating func write(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes eight bytes.
    package mutating func write(word: UInt64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes a string: the number of its bytes, and these.
    package mutating func write(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            write(utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    /// Writes the number of bytes, and these.
    package mutating func write(_ data: [UInt8]) {
        write(data.count)
        bytes.append(contentsOf: data)
    }
}
