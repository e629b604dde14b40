import Foundation
import XCTest

/// The directory whose files are replayed instead of the built-in ones: `KIVO_CONFORMANCE_DIR` in the environment.
enum ConformanceDirectory {
    private static var path: String? { ProcessInfo.processInfo.environment["KIVO_CONFORMANCE_DIR"] }

    /// One of its files, by what is in it.
    enum File {
        /// Changes of objects and collections, and the notifications of their observers.
        case family(ConformanceFamily)
        /// Steps of key-value observing and coding.
        case cases([KeyValueCase])
    }

    /// Skips a test of what is built in if a directory is to be replayed instead.
    static func skipWhatIsBuiltIn() throws {
        if path != nil { throw XCTSkip("KIVO_CONFORMANCE_DIR names the files to replay.") }
    }

    /// Its files in the order of their names. Skips the test if no directory is named; throws if one is not there, or has
    /// no such files.
    static func files() throws -> [URL] {
        guard let path else { throw XCTSkip("KIVO_CONFORMANCE_DIR does not name another directory.") }
        let url = URL(fileURLWithPath: path, isDirectory: true)
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        if files.isEmpty { throw ConformanceError("There is no file to replay in \(path).") }
        return files
    }

    /// Reads a file. Throws if it is of a format that the runners do not know.
    static func read(_ file: URL) throws -> File {
        do {
            if let cases = try KeyValueCase.load(file) { return .cases(cases) }
            return .family(try ConformanceFamily(contentsOf: file))
        } catch {
            throw ConformanceError("\(file.lastPathComponent) cannot be read: \(error)")
        }
    }
}
