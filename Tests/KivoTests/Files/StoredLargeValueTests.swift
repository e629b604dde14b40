import Foundation
import Kivo
import XCTest

/// A class with values that have pages of their own, and with shorter ones beside them.
private final class StoredLarge: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var text: String
    @Persisted var maybe: String?
    @Persisted var bytes: Data
    @Persisted var any: AnyRealmValue
    @Persisted var texts: List<String>
    @Persisted var anys: Map<String, AnyRealmValue>

    /// Returns a string of `count` bytes that identifies `seed`.
    static func string(_ count: Int, _ seed: Int) -> String {
        String(decoding: (0..<count).map { UInt8(97 + ($0 * 7 + seed) % 26) }, as: UTF8.self)
    }

    static func data(_ count: Int, _ seed: Int) -> Data {
        Data((0..<count).map { UInt8(($0 * 11 + seed) & 255) })
    }

    /// The lengths around the limit of what stays in place.
    static let lengths = [0, 4095, 4096, 4097, 5000]

    /// An object whose values follow from its key.
    convenience init(_ key: Int) {
        self.init()
        let length = StoredLarge.lengths[key % StoredLarge.lengths.count]
        self.key = key
        text = StoredLarge.string(length, key)
        maybe = key % 3 == 0 ? nil : StoredLarge.string(length, key + 1)
        bytes = StoredLarge.data(length, key + 2)
        any =
            key % 2 == 0 ? .string(StoredLarge.string(length, key + 3)) : .data(StoredLarge.data(length, key))
        texts.append(objectsIn: ["short", StoredLarge.string(length, key + 4)])
        anys["a"] = .string(StoredLarge.string(length, key + 5))
    }

    func assertSame(as other: StoredLarge) {
        XCTAssertEqual(text, other.text, "\(key)")
        XCTAssertEqual(maybe, other.maybe, "\(key)")
        XCTAssertEqual(bytes, other.bytes, "\(key)")
        XCTAssertEqual(any, other.any, "\(key)")
        XCTAssertEqual(Array(texts), Array(other.texts), "\(key)")
        XCTAssertEqual(anys["a"], other.anys["a"], "\(key)")
    }
}

/// A stored file of format 4 whose large values are in pages of their own and in records behind the checkpoint.
///
/// `KIVO_RECORD_STORED_FILES=FOLDER swift test --filter StoredLargeValueTests` writes it.
final class StoredLargeValueTests: FileTestCase {
    override var configuration: Realm.Configuration {
        var configuration = super.configuration
        configuration.objectTypes = [StoredLarge.self]
        return configuration
    }

    private func restore() throws {
        let stored = try XCTUnwrap(
            Bundle.module.url(
                forResource: "large-values-4", withExtension: "kivo", subdirectory: "StoredFiles"))
        try? FileManager.default.removeItem(at: file)
        try Data(contentsOf: stored).write(to: file)
    }

    private func check(_ configuration: Realm.Configuration) throws {
        try withRealm(configuration) { realm in
            XCTAssertEqual(realm.objects(StoredLarge.self).count, 6)
            for key in 0..<6 {
                let object = try XCTUnwrap(realm.object(ofType: StoredLarge.self, forPrimaryKey: key))
                object.assertSame(as: StoredLarge(key))
            }
        }
        try waitUntilClosed()
    }

    func testReading() throws {
        try restore()
        XCTAssertEqual(try Realm.verify(fileURL: file).flaws.map(\.reason), [])
        var readOnly = configuration
        readOnly.readOnly = true
        try check(readOnly)
        try check(configuration)
    }

    func testCompactionAndSalvage() throws {
        try restore()
        let rescued = folder.appendingPathComponent("rescued.kivo")
        XCTAssertTrue(try Realm.salvage(contentsOf: file, to: rescued).isComplete)
        var configuration = configuration
        configuration.fileURL = rescued
        try check(configuration)
        _ = try FileCompaction.run(file)
        try check(self.configuration)
    }

    func testRecordingTheFile() throws {
        guard let path = ProcessInfo.processInfo.environment["KIVO_RECORD_STORED_FILES"] else {
            throw XCTSkip("KIVO_RECORD_STORED_FILES names no folder")
        }
        try? FileManager.default.removeItem(at: file)
        var configuration = configuration
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            try realm.write { for key in 0..<5 { realm.add(StoredLarge(key)) } }
        }
        try waitUntilClosed()
        configuration.checkpoints.smallestTailOfClosing = 1 << 30
        try withRealm(configuration) { realm in try realm.write { realm.add(StoredLarge(5)) } }
        try waitUntilClosed()
        var bytes = try Data(contentsOf: file)
        while bytes.count % 8 != 0 || bytes.suffix(8).allSatisfy({ $0 == 0 }) { bytes.removeLast() }
        try bytes.write(
            to: URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent("large-values-4.kivo"))
    }
}
