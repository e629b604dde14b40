import Foundation

/// A reader of a file's lines, which skips empty ones. It holds one line and the bytes read ahead in memory.
struct LineReader {
    private let file: FileHandle
    private var buffer: [UInt8] = []
    /// The beginning of the next line in the buffer, and the position from which its end is searched.
    private var (start, searched) = (0, 0)
    private var isAtEnd = false
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    /// Opens the file at a path.
    init(_ path: String) throws { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }

    /// Returns the next line, or nil if there is none.
    mutating func next() throws -> Data? {
        while true {
            let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) ?? buffer.endIndex
            if end == buffer.endIndex, !isAtEnd {
                searched = end
                try readAhead()
                continue
            }
            let line = buffer[start..<end]
            start = min(end + 1, buffer.endIndex)
            searched = start
            if !line.isEmpty {
                number += 1
                return Data(line)
            }
            if isAtEnd, start == buffer.endIndex { return nil }
        }
    }

    private mutating func readAhead() throws {
        buffer.removeSubrange(..<start)
        (start, searched) = (0, searched - start)
        let more = try file.read(upToCount: 1 << 18) ?? Data()
        isAtEnd = more.isEmpty
        buffer.append(contentsOf: more)
    }
}
