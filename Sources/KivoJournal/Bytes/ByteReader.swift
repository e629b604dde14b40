import KivoEngine

/// A reader of the payload of a record. A correct checksum means only that the payload is as it was written. It can still be
/// invalid, so nothing in it is trusted.
struct ByteReader {
    /// The payload, which the replay owns. Valid during the call that passes it.
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The store's tables by the numbers that the file gives them. Values of any type can link to them.
    var tables: [Int: TableID] = [:]

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    private func need(_ count: Int) throws(JournalError) {
        guard count <= bytes.count - position else { throw malformed("it ends early") }
    }

    func malformed(_ what: String) -> JournalError {
        .corrupt(offset: position, reason: "a commit makes no sense: \(what)")
    }

    mutating func readByte() throws(JournalError) -> UInt8 {
        try need(1)
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readFlag() throws(JournalError) -> Bool {
        let byte = try readByte()
        guard byte < 2 else { throw malformed("a flag is neither set nor unset") }
        return byte == 1
    }

    /// Reads a number that is not a key. Throws if it does not fit into an `Int`.
    mutating func readNumber() throws(JournalError) -> Int {
        guard let number = Int(exactly: try readKey()) else { throw malformed("a number is too large") }
        return number
    }

    /// Reads a key, or another number of up to 63 bits. None is negative.
    mutating func readKey() throws(JournalError) -> Int64 {
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
    mutating func readCount(ofAtLeast size: Int = 1) throws(JournalError) -> Int {
        let count = try readNumber()
        try need(count, ofAtLeast: size)
        return count
    }

    /// Throws unless there are enough bytes for `count` items of at least `size` bytes each.
    func need(_ count: Int, ofAtLeast size: Int) throws(JournalError) {
        guard count <= (bytes.count - position) / size else { throw malformed("it ends early") }
    }

    mutating func readWord() throws(JournalError) -> UInt64 {
        try need(8)
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    mutating func readString() throws(JournalError) -> String {
        let count = try readCount()
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        guard let string = text.withMemoryRebound(to: UInt8.self, { String(validating: $0, as: UTF8.self) })
        else { throw malformed("a string is no text") }
        position += count
        return string
    }

    mutating func readBytes() throws(JournalError) -> [UInt8] {
        let count = try readCount()
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
