import Foundation
import Kivo

/// The memory of processes that work with a file of four million objects of six properties, at a cache of 64 MB.
extension Rows {
    static var largeFiles: [Row] {
        [
            // The file that the others read is written for each of them: they are measured by themselves as well.
            largeFile("memory.big/write", .write, .atMost(160e6)),
            largeFile("memory.big/scan", .scan, .atMost(80e6)),
            largeFile("memory.big/sort", .sort, .atMost(160e6)),
            largeFile("memory.big/iterate", .iterate, .atMost(80e6)),
            largeFile("memory.big/random", .random, .atMost(80e6)),
            largeFile("memory.big/update", .update, .atMost(80e6)),
        ]
    }

    private static func largeFile(_ name: String, _ part: LargeFileProbe.Part, _ target: Target) -> Row {
        Row(name, .memory, .bytes, target) { fixtures in
            let count = fixtures.size(4_000_000)
            let path = try largeFile(fixtures, count)
            let bytes =
                try part == .write
                ? path.bytes : LargeFileProbe(part: part, path: path.path, count: count).ask().bytes
            return Samples([Double](repeating: bytes, count: 5))
        }
    }

    /// Returns the path of the file, and the highest memory of the process that wrote it.
    private static func largeFile(_ fixtures: Fixtures, _ count: Int) throws -> (path: String, bytes: Double)
    {
        let url = try fixtures.filesDirectory().appendingPathComponent("large.kivo")
        let figure = url.appendingPathExtension("bytes")
        if let known = try? String(contentsOf: figure, encoding: .utf8), let bytes = Double(known) {
            return (url.path, bytes)
        }
        let bytes = try LargeFileProbe(part: .write, path: url.path, count: count).ask().bytes
        try "\(bytes)".write(to: figure, atomically: true, encoding: .utf8)
        return (url.path, bytes)
    }
}
