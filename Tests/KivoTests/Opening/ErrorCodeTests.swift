import Foundation
import Kivo
import XCTest

@testable import KivoJournal

/// The codes of `Realm.Error` that files make come about.
final class ErrorCodeTests: FileTestCase {
    func testErrorsAreCaughtByTheirCode() throws {
        let missing = Realm.Configuration(fileURL: file, readOnly: true)
        do {
            _ = try Realm(configuration: missing)
            XCTFail("there is no file")
        } catch Realm.Error.fileNotFound {
        } catch {
            XCTFail("\(error)")
        }
    }

    /// Every code that a file can make come about, by making it come about.
    func testCodesThatFilesMake() throws {
        try commit(["a"])
        let bytes = try Data(contentsOf: file)
        let other = folder.appendingPathComponent("other.kivo")
        func opening(_ change: (inout Data) -> Void, _ configuration: Realm.Configuration? = nil) throws {
            var changed = bytes
            change(&changed)
            try changed.write(to: other)
            _ = try Realm(configuration: configuration ?? Realm.Configuration(fileURL: other))
        }
        assertError(.invalidDatabase) {
            try opening { data in for copy in [0, 2048, 4096, 6144] { data[copy] = 0 } }
        }
        assertError(.invalidDatabase) { try opening { $0.removeSubrange(3000...) } }
        assertError(.fileFormatUpgradeRequired) { try opening { $0.setFormatVersion(1) } }
        assertError(.unsupportedFileFormatVersion) { try opening { $0.setFormatVersion(1000) } }
        assertError(.invalidInput) { _ = try Realm(fileURL: URL(string: "https://example.com/a.kivo")!) }
        assertError(.fileNotFound) { _ = try Realm(fileURL: folder.appendingPathComponent("no/a.kivo")) }
        assertError(.fileNotFound) {
            let gone = folder.appendingPathComponent("gone.kivo")
            _ = try Realm(configuration: Realm.Configuration(fileURL: gone, readOnly: true))
        }
        assertError(.fileExists) { try withRealm { try $0.writeCopy(toFile: other) } }
        assertError(.fileAccess) { _ = try Realm(fileURL: folder) }
        try withRealm { _ in
            assertError(.alreadyOpen, says: ["this process"]) { try Realm.deleteFiles(for: configuration) }
        }
    }

    // MARK: Sentences

    func testWhatErrorsOfOpeningSay() throws {
        func open(_ url: URL, readOnly: Bool = false) throws {
            _ = try Realm(configuration: Realm.Configuration(fileURL: url, readOnly: readOnly))
        }
        let gone = folder.appendingPathComponent("gone.kivo")
        assertError(
            .fileNotFound,
            says: ["Failed to open Realm file at path '\(gone.path)': No such file or directory"]
        ) { try open(gone, readOnly: true) }
        let small = folder.appendingPathComponent("small.kivo")
        try Data("few".utf8).write(to: small)
        assertError(
            .invalidDatabase,
            says: ["'\(small.path)': file is non-empty but too small (3 bytes) to be a valid Realm."]
        ) { try open(small) }
        let inside = small.appendingPathComponent("inside.kivo")
        assertError(.fileOperationFailed, says: ["'\(inside.path)': parent path is not a directory"]) {
            try open(inside)
        }
        assertError(.fileAccess, says: ["'\(folder.path)'"]) { try open(folder) }
        assertError(.fileAccess, says: ["'/dev/null'"]) { try open(URL(fileURLWithPath: "/dev/null")) }
        assertError(.invalidDatabase, says: ["'\(gone.path)' has not been initialized."]) {
            _ = try schemaVersionAtURL(gone)
        }
    }
}

extension Data {
    /// Gives all headers of a realm file another format version, and the checksums that go with it.
    fileprivate mutating func setFormatVersion(_ version: UInt32) {
        for start in [0, 2048, 4096, 6144] {
            Swift.withUnsafeBytes(of: version.littleEndian) {
                replaceSubrange(start + 8..<start + 12, with: $0)
            }
            let sum = Array(self[start..<start + 56]).withUnsafeBytes {
                Checksum.of($0, seed: start < 4096 ? 0 : UInt64(start))
            }
            Swift.withUnsafeBytes(of: sum.littleEndian) { replaceSubrange(start + 56..<start + 64, with: $0) }
        }
    }
}
