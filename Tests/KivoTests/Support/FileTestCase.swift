import Foundation
import Kivo
import KivoJournal
import XCTest

/// A test with a folder of its own, and a file in it.
class FileTestCase: XCTestCase {
    private(set) var folder = URL(fileURLWithPath: "/")
    var file: URL { folder.appendingPathComponent("test.kivo") }
    var configuration: Realm.Configuration { Realm.Configuration(fileURL: file) }

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    /// Opens a realm, and closes it when `body` is done.
    func withRealm<Result>(
        _ configuration: Realm.Configuration? = nil, _ body: (Realm) throws -> Result
    ) throws -> Result {
        try body(Realm(configuration: configuration ?? self.configuration))
    }

    /// Waits until the file is closed everywhere: a checkpoint in the background keeps it open for a while.
    func waitUntilClosed() throws { try FileTestCase.waitUntilClosed(file) }

    /// Waits until a file is closed everywhere.
    static func waitUntilClosed(_ file: URL) throws {
        let end = Date() + 120
        while Date() < end {
            if let device = try? FileDevice.open(path: file.path, readOnly: true, isAlone: true) {
                return device.close()
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
        XCTFail("the file stays open")
    }

    /// The configuration of a store that has memory of its own, as another process has.
    func process(_ name: String) -> Realm.Configuration {
        var configuration = configuration
        configuration.separation = name
        return configuration
    }

    /// The file to which ``rescue()`` copies.
    var rescued: URL { folder.appendingPathComponent("rescued.kivo") }

    /// Copies what is intact in the file to ``rescued``, anew each time.
    func rescue() throws -> Realm.SalvageReport {
        try? FileManager.default.removeItem(at: rescued)
        return try Realm.salvage(contentsOf: file, to: rescued)
    }

    /// The names of the dogs in the file.
    func names(_ configuration: Realm.Configuration? = nil) throws -> [String] {
        try withRealm(configuration) { realm in realm.objects(Dog.self).map { "\($0.name)" } }
    }

    /// Commits one dog after the other, each in a transaction of its own.
    func commit(_ names: [String]) throws {
        try withRealm { realm in
            for name in names { try realm.write { realm.add(Dog(value: ["name": name])) } }
        }
    }

    /// Asserts that an error of a code is thrown, with certain words.
    func assertError(
        _ code: Realm.Error.Code, says words: [String] = [], file: StaticString = #filePath,
        line: UInt = #line, _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), file: file, line: line) { error in
            XCTAssertEqual((error as? Realm.Error)?.code, code, "\(error)", file: file, line: line)
            for word in words { XCTAssert("\(error)".contains(word), "\(error)", file: file, line: line) }
        }
    }
}

extension Data {
    /// The beginnings of the records of a realm file, and the end of the last one.
    var recordBounds: [Int] {
        var bounds = [8192]
        while let start = bounds.last, start + 40 <= count, self[start + 8] != 0 {
            let length = (0..<8).reduce(0) { $0 | Int(self[start + $1]) << ($1 * 8) }
            bounds.append(start + 40 + (length + 7) / 8 * 8)
        }
        return bounds
    }

    /// The file as if none of its commits had been acknowledged.
    var withoutMark: Data {
        var data = self
        data.resetBytes(in: 512..<536)
        return data
    }
}
