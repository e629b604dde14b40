import Foundation
import Kivo
import XCTest

/// A process that has a file open, or was stopped, while another one migrates the file to a newer schema version.
final class MigratedElsewhereTests: MigrationTestCase {
    private enum Before {
        class Hut: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var name = ""
        }
    }

    private enum After {
        class Hut: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var title = ""
            @Persisted var height = 0
        }
    }

    private let process = StoppedProcess()

    private func old() -> Realm.Configuration {
        process.configuration(configuration([Before.Hut.self], version: 1), named: "old")
    }

    private func new() -> Realm.Configuration {
        var configuration = configuration([After.Hut.self], version: 2) { migration, _ in
            migration.renameProperty(onType: "Hut", from: "name", to: "title")
        }
        configuration.separation = "new"
        return configuration
    }

    private func turn() { RunLoop.main.run(until: Date() + 0.005) }

    /// - Parameter lookAfter: Called with the realm of the new classes before the process goes on.
    private func migrate(isStopped: Bool, _ lookAfter: (Realm) throws -> Void = { _ in }) throws {
        try open(isStopped: isStopped, lookAfter)
        try waitUntilClosed()
        XCTAssert(try Realm.verify(fileURL: file).flaws.isEmpty)
        assertError(.schemaMismatch) { _ = try Realm(configuration: self.old()) }
        var again = old()
        (again.schemaVersion, again.objectTypes) = (2, [After.Hut.self])
        try withRealm(again) { realm in
            let huts = realm.objects(After.Hut.self).sorted(by: \.id)
            XCTAssertEqual(huts.map(\.title), ["Gleirsch", "Olperer", "Kölner"])
            try realm.write { huts[0].height = 1 }
        }
    }

    private func open(isStopped: Bool, _ lookAfter: (Realm) throws -> Void) throws {
        let realm = try Realm(configuration: old())
        try realm.write { realm.add(Before.Hut(value: [1, "Gleirsch"] as [Any])) }
        let hut = realm.objects(Before.Hut.self)[0]
        var told = 0
        let token = hut.observe { (_: ObjectChange<Before.Hut>) in told += 1 }
        realm.refresh()
        if isStopped { process.stop() }
        let other = try Realm(configuration: new())
        try other.write { other.add(After.Hut(value: [2, "Olperer", 2388] as [Any])) }
        try lookAfter(other)
        if isStopped { process.go() }
        turn()
        XCTAssertFalse(realm.refresh())
        // The process sees the same data as before.
        XCTAssertEqual(hut.name, "Gleirsch")
        XCTAssertEqual(realm.objects(Before.Hut.self).count, 1)
        XCTAssertEqual(told, 0)
        let words = ["another process", "schema version 2", "open it again", file.path]
        for _ in 0..<2 {
            assertError(.schemaMismatch, says: words) { try realm.write { hut.name = "mine" } }
            XCTAssertFalse(realm.isInWriteTransaction)
            XCTAssertEqual(hut.name, "Gleirsch")
        }
        realm.beginWrite()
        hut.name = "mine"
        assertError(.schemaMismatch, says: words) { try realm.commitWrite() }
        XCTAssertEqual(hut.name, "Gleirsch")
        // The other is not kept from anything.
        try other.write { other.add(After.Hut(value: [3, "Kölner", 0] as [Any])) }
        turn()
        XCTAssertEqual(realm.objects(Before.Hut.self).count, 1)
        token.invalidate()
    }

    func testAProcessThatHearsOfIt() throws { try migrate(isStopped: false) }

    func testAProcessThatWasStopped() throws { try migrate(isStopped: true) }

    /// The migration is in no file any more as such.
    func testAProcessThatWasStoppedWhileTheFileWasCompactedToo() throws {
        makesCheckpoints = true
        var isCompacted = 0
        try migrate(isStopped: true) { other in
            let end = Date() + 60
            while isCompacted < 2, Date() < end {
                let before = try Data(contentsOf: self.file)[16..<24]
                for _ in 0..<20 {
                    try other.write {
                        let hut = other.objects(After.Hut.self)[1]
                        hut.title = String(repeating: "-", count: 3000)
                        hut.height += 1
                    }
                }
                try other.write { other.objects(After.Hut.self)[1].title = "Olperer" }
                if try Data(contentsOf: self.file)[16..<24] != before { isCompacted += 1 }
            }
        }
        XCTAssertEqual(isCompacted, 2)
    }

    /// A higher version alone, with the same classes, changes nothing for who has the file open.
    func testAVersionThatIsOnlyHigher() throws {
        let realm = try Realm(configuration: old())
        try realm.write { realm.add(Before.Hut(value: [1, "Gleirsch"] as [Any])) }
        process.stop()
        var higher = configuration([Before.Hut.self], version: 3)
        higher.separation = "higher"
        let other = try Realm(configuration: higher)
        try other.write { other.add(Before.Hut(value: [2, "Olperer"] as [Any])) }
        process.go()
        realm.refresh()
        try realm.write { realm.add(Before.Hut(value: [3, "Kölner"] as [Any])) }
        other.refresh()
        XCTAssertEqual(other.objects(Before.Hut.self).count, 3)
        XCTAssertEqual(try schemaVersionAtURL(file), 3)
    }
}
