import KivoEngine

/// Reads the payload of a record. A payload that passed its checksum is as it was written; that does not mean that it
/// makes sense, and nothing in it is trusted.
struct ByteReader {
    /// Owned by the replay; valid during the call that hands the payload over.
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The store's tables by the numbers that the file gives them, to which values of any type can lead.
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

    /// A number that is not a key: one that the process cannot hold is malformed.
    mutating func readNumber() throws(JournalError) -> Int {
        guard let number = Int(exactly: try readKey()) else { throw malformed("a number is too large") }
        return number
    }

    /// A key, or another number of up to 63 bits: none is negative.
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

    /// A number of things that each take at least so many bytes, of which there are enough.
    mutating func readCount(ofAtLeast size: Int = 1) throws(JournalError) -> Int {
        let count = try readNumber()
        try need(count, ofAtLeast: size)
        return count
    }

    /// Throws unless there are bytes for so many things that each take at least `size`.
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
