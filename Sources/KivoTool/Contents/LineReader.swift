import Foundation

/// The lines of a file, one after the other; empty ones are left out. One of them is in memory, and what was read ahead.
struct LineReader {
    private let file: FileHandle
    private var buffer: [UInt8] = []
    /// Where the next line begins in the buffer, and from where on its end is looked for.
    private var (start, searched) = (0, 0)
    private var isAtEnd = false
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    /// The lines of the file at a path.
    init(_ path: String) throws { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }

    /// The next line; nil if there is none.
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
