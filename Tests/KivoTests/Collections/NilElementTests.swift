import Foundation
import Kivo
import XCTest

class NilRoom: EmbeddedObject {
    @Persisted var name = ""
}

class NilPart: Object {
    @Persisted(primaryKey: true) var x = 0
}

class NilOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var parts: List<NilPart>
    @Persisted var set: MutableSet<NilPart>
    @Persisted var rooms: List<NilRoom>
    @Persisted var byName: Map<String, NilPart?>
}

/// The stored files have it as a list and a set of optional objects, and a map of objects that are not optional.
class NilMaybe: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var parts: List<NilPart>
    @Persisted var set: MutableSet<NilPart>
    @Persisted var byName: Map<String, NilPart?>
}

/// Files of an earlier version, which stored nil in lists and sets of objects: in commits, with later ones that count with it,
/// and in the pages of a checkpoint.
final class NilElementTests: FileTestCase {
    override var configuration: Realm.Configuration {
        var configuration = super.configuration
        configuration.objectTypes = [NilOwner.self, NilPart.self, NilRoom.self, NilMaybe.self]
        return configuration
    }

    private func eachFile(_ body: () throws -> Void) throws {
        for name in ["commits", "checkpoint"] {
            let stored = try XCTUnwrap(
                Bundle.module.url(
                    forResource: "nil-elements-3-\(name)", withExtension: "kivo",
                    subdirectory: "StoredFiles"))
            try? FileManager.default.removeItem(at: file)
            try FileManager.default.copyItem(at: stored, to: file)
            try body()
            try waitUntilClosed()
        }
    }

    private func check(_ realm: Realm, appended: [Int] = []) throws {
        let owner = try XCTUnwrap(realm.object(ofType: NilOwner.self, forPrimaryKey: 1))
        XCTAssertEqual(Array(owner.parts.map(\.x)), [1, 2, 4] + appended)
        XCTAssertEqual(owner.set.map(\.x), [3])
        XCTAssertEqual(Array(owner.rooms.map(\.name)), ["b"])
        XCTAssertEqual(owner.byName.keys, ["a", "b"])
        XCTAssertEqual(owner.byName["a"]??.x, 4)
        let large = try XCTUnwrap(realm.object(ofType: NilOwner.self, forPrimaryKey: 2))
        // The element that a later commit put before the 200th, of which 29 were nil.
        var expected = (0..<400).filter { $0 % 7 != 3 }.map { 100 + $0 }
        expected.insert(4, at: (0..<200).filter { $0 % 7 != 3 }.count)
        XCTAssertEqual(Array(large.parts.map(\.x)), expected)
        let maybe = try XCTUnwrap(realm.object(ofType: NilMaybe.self, forPrimaryKey: 1))
        XCTAssertEqual(Array(maybe.parts.map(\.x)), [1])
        XCTAssertEqual(maybe.set.map(\.x), [2])
        XCTAssertEqual(maybe.byName["a"]??.x, 1)
    }

    func testTheyAreLeftOut() throws {
        try eachFile {
            try withRealm { try check($0) }
            // Later commits count without the elements that were left out.
            for count in 0..<3 {
                try waitUntilClosed()
                try withRealm { realm in
                    try check(realm, appended: Array(repeating: 1, count: count))
                    try realm.write {
                        let owner = realm.object(ofType: NilOwner.self, forPrimaryKey: 1)!
                        owner.parts.append(realm.object(ofType: NilPart.self, forPrimaryKey: 1)!)
                    }
                }
            }
        }
    }

    func testWhoOnlyReadsDoesNotSeeThem() throws {
        try eachFile {
            let bytes = try Data(contentsOf: file)
            var configuration = configuration
            configuration.readOnly = true
            try withRealm(configuration) { try check($0) }
            XCTAssertEqual(try Data(contentsOf: file), bytes)
        }
    }

    func testVerificationSaysSo() throws {
        try eachFile {
            let report = try Realm.verify(fileURL: file)
            XCTAssert(report.isIntact)
            XCTAssert("\(report)".contains("'NilOwner.parts'"), "\(report)")
            try withRealm { try check($0) }
            try waitUntilClosed()
            XCTAssertEqual(try Realm.verify(fileURL: file).flaws, [])
        }
    }

    func testNilOfMapsStays() throws {
        try withRealm { realm in
            try realm.write {
                _ = realm.create(
                    NilOwner.self,
                    value: ["id": 1, "byName": ["a": ["x": 1], "b": NSNull()] as [String: Any]])
            }
        }
        try waitUntilClosed()
        try withRealm { realm in
            let owner = try XCTUnwrap(realm.objects(NilOwner.self).first)
            XCTAssertEqual(owner.byName.keys, ["a", "b"])
            XCTAssertNil(owner.byName["b"]!)
        }
    }
}
