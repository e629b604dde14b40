import Foundation

/// A reader of the rows of a CSV file, as RFC 4180 describes them. It holds one row and the bytes read ahead in memory.
///
/// Rows end with LF, CRLF or CR. Empty lines, and a byte order mark, are skipped.
struct CSVReader {
    /// A field of a row.
    struct Field: Equatable {
        /// The text without the quotes around it; nil if it is not valid UTF-8.
        var text: String?
        var isQuoted = false

        /// Whether the field means null: it is empty and, unlike an empty text, not quoted.
        var isNull: Bool { text == "" && !isQuoted }
    }

    private let file: FileHandle
    private let bufferSize: Int
    private var buffer: [UInt8] = []
    private var index = 0
    /// The number of bytes before the buffer.
    private var bufferStart = 0
    private var isAtEnd = false
    /// The line at which the reader stands, counted from 1.
    private var currentLine = 1
    /// The number of bytes of the row that is read.
    private var rowSize = 0
    /// The line on which the last row begins, counted from 1.
    private(set) var line = 1

    /// The largest number of bytes of a row. A quotation mark without its counterpart would otherwise read the whole file.
    private static let largestRow = 1 << 26

    /// Opens the file at a path.
    init(_ path: String, bufferSize: Int = 1 << 18) throws {
        file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        self.bufferSize = bufferSize
        while buffer.count < 3, !isAtEnd { try readAhead() }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// The number of bytes that were read.
    var offset: Int { bufferStart + index }

    /// Returns the fields of the next row, or nil if there is none.
    ///
    /// - Throws: ``Problem`` if a quotation mark is in the wrong place. No row can be read after that.
    mutating func next() throws -> [Field]? {
        while try acceptLineEnd() {}
        line = currentLine
        rowSize = 0
        guard try peek() != nil else { return nil }
        var fields: [Field] = []
        repeat {
            fields.append(try field(fields.count + 1))
        } while try accept(UInt8(ascii: ","))
        if try peek() != nil { _ = try acceptLineEnd() }
        return fields
    }

    private mutating func field(_ number: Int) throws -> Field {
        guard try accept(UInt8(ascii: "\"")) else {
            var bytes: [UInt8] = []
            try takeBytes(into: &bytes) { ",\n\r\"".utf8.contains($0) }
            if try peek() == UInt8(ascii: "\"") {
                throw Problem(
                    "line \(currentLine): field \(number) has a quotation mark, but does not begin with one")
            }
            return Field(text: String(validating: bytes, as: UTF8.self))
        }
        let start = currentLine
        var bytes: [UInt8] = []
        while true {
            try takeBytes(into: &bytes) { "\"\n\r".utf8.contains($0) }
            switch try peek() {
            case UInt8(ascii: "\n"):
                bytes.append(UInt8(ascii: "\n"))
                _ = try acceptLineEnd()
                continue
            case UInt8(ascii: "\r"):
                bytes.append(UInt8(ascii: "\r"))
                index += 1
                if try peek() != UInt8(ascii: "\n") { currentLine += 1 }
                continue
            case nil:
                throw Problem("line \(start): field \(number) begins with a quotation mark, and has no other")
            default: break
            }
            index += 1
            if try !accept(UInt8(ascii: "\"")) { break }
            bytes.append(UInt8(ascii: "\""))
        }
        switch try peek() {
        case nil, UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
        default: throw Problem("line \(currentLine): field \(number) goes on behind its quotation marks")
        }
        return Field(text: String(validating: bytes, as: UTF8.self), isQuoted: true)
    }

    /// Takes the bytes up to one that a closure selects, or to the end of the file.
    private mutating func takeBytes(into bytes: inout [UInt8], until isEnd: (UInt8) -> Bool) throws {
        while try peek() != nil {
            let end = buffer[index...].firstIndex(where: isEnd) ?? buffer.count
            bytes += buffer[index..<end]
            rowSize += end - index
            index = end
            if rowSize > CSVReader.largestRow {
                throw Problem(
                    "line \(line): the row that begins here is too long; is a quotation mark missing?")
            }
            if index < buffer.count { return }
        }
    }

    private mutating func acceptLineEnd() throws -> Bool {
        switch try peek() {
        case UInt8(ascii: "\n"): index += 1
        case UInt8(ascii: "\r"):
            index += 1
            if try peek() == UInt8(ascii: "\n") { index += 1 }
        default: return false
        }
        currentLine += 1
        return true
    }

    private mutating func accept(_ byte: UInt8) throws -> Bool {
        guard try peek() == byte else { return false }
        index += 1
        return true
    }

    private mutating func peek() throws -> UInt8? {
        if index == buffer.count, !isAtEnd { try readAhead() }
        return index < buffer.count ? buffer[index] : nil
    }

    private mutating func readAhead() throws {
        buffer.removeSubrange(..<index)
        bufferStart += index
        index = 0
        let more = try file.read(upToCount: bufferSize) ?? Data()
        isAtEnd = more.isEmpty
        buffer.append(contentsOf: more)
    }
}
