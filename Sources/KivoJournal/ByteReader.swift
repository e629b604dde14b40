/// Reads the payload of a record. A payload that passed its checksum is as it was written; one that does not make
/// sense all the same is reported, never trusted.
struct ByteReader {
    /// Owned by who replays; valid during the call that hands the payload over.
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    private func need(_ count: Int) throws(JournalError) {
        guard count >= 0, count <= bytes.count - position else { throw malformed("it ends early") }
    }

    func malformed(_ what: String) -> JournalError {
        .corrupt(offset: position, reason: "a commit makes no sense: \(what)")
    }

    mutating func readByte() throws(JournalError) -> UInt8 {
        try need(1)
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readFlag() throws(JournalError) -> Bool { try readByte() != 0 }

    mutating func readNumber() throws(JournalError) -> Int {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            guard shift < 64 else { throw malformed("a number is too long") }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int(truncatingIfNeeded: number) }
            shift += 7
        }
    }

    /// A number of things that each take at least one byte.
    mutating func readCount() throws(JournalError) -> Int {
        let count = try readNumber()
        try need(count)
        return count
    }

    mutating func readWord() throws(JournalError) -> UInt64 {
        try need(8)
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    mutating func readString() throws(JournalError) -> String {
        let count = try readCount()
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    mutating func readBytes() throws(JournalError) -> [UInt8] {
        let count = try readCount()
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
