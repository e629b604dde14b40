import Foundation
import TestRandomness
import XCTest

@testable import Kivo

/// Change sets of random histories, compared with the whole contents of the realm before and after.
final class ChangeSetFuzzTests: RealmTestCase {
    func testDifferencesLeadFromEachVersionToEachLater() throws {
        for round in TestEffort.rounds(200) { try check(RandomSource("changes \(round)")) }
    }

    private func check(_ source: RandomSource) throws {
        let realm = try openRealm()
        try realm.write { realm.deleteAll() }
        var edits = HistoryEdits(random: source, realm: realm)
        var versions: [(version: Realm.Version, contents: HistoryContents)] = []
        var steps: [ChangeSet] = []
        for _ in 0..<8 {
            versions.append((realm.version, HistoryContents(realm)))
            try realm.write { edits.edit(edits.random.below(15)) }
            steps.append(try realm.changes(since: versions.last!.version))
        }
        let last = HistoryContents(realm)
        var composed = ChangeSet()
        for (index, (version, contents)) in versions.enumerated().reversed() {
            let changes = try realm.changes(since: version)
            var reached = contents
            reached.apply(changes)
            XCTAssertEqual(reached, last)
            var back = last
            back.apply(changes.inverse)
            XCTAssertEqual(back, contents)
            XCTAssertEqual(changes.isEmpty, contents == last)
            composed = steps[index].followed(by: composed)
            reached = contents
            reached.apply(composed)
            XCTAssertEqual(reached, last)
            XCTAssertEqual(withoutLists(composed), withoutLists(changes))
            checkEncoding(of: changes)
            // What is left are elements of lists that were removed and inserted again.
            reached = contents
            reached.apply(changes.followed(by: changes.inverse))
            XCTAssertEqual(reached, contents)
        }
    }

    /// Returns what differs apart from lists, which are compared by operations: an element may be removed and inserted again.
    private func withoutLists(_ changes: ChangeSet) -> [ChangeSet.Change] {
        changes.all.compactMap { change in
            let properties = change.properties.filter { $0.listEdits == nil }
            return change.kind == .modified && properties.isEmpty
                ? nil : ChangeSet.Change(change.kind, change.object, properties)
        }
    }

    private func checkEncoding(of changes: ChangeSet) {
        let data = changes.encoded()
        XCTAssertEqual(try ChangeSet(decoding: data), changes)
        XCTAssertEqual(try ChangeSet(decoding: data).encoded(), data)
        XCTAssertEqual(
            try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(changes)), changes)
    }

    func testForgedBytesAreRefusedAndNeverTrap() throws {
        let realm = try openRealm()
        var edits = HistoryEdits(random: RandomSource(), realm: realm)
        let start = realm.version
        try realm.write { edits.edit(200) }
        let middle = realm.version
        try realm.write { edits.edit(200) }
        let bytes = Array(try realm.changes(since: middle).encoded())
        XCTAssertThrowsError(try ChangeSet(decoding: Data()))
        var random = edits.random
        for _ in TestEffort.rounds(3000) {
            var forged = Array(bytes.dropLast(8))
            for _ in 0...random.below(3) {
                switch random.below(3) {
                case 0: forged[random.below(forged.count)] = UInt8(random.below(256))
                case 1: forged.remove(at: random.below(forged.count))
                default: forged = Array(forged.prefix(4 + random.below(forged.count)))
                }
                if forged.count < 5 { break }
            }
            let sum = forged.withUnsafeBytes(ChangeEncoding.checksum)
            withUnsafeBytes(of: sum.littleEndian) { forged.append(contentsOf: $0) }
            guard let changes = try? ChangeSet(decoding: Data(forged)) else { continue }
            // What is decoded can be used.
            XCTAssertEqual(try ChangeSet(decoding: changes.encoded()), changes)
            _ = changes.inverse.followed(by: changes).count
            for change in changes.all { for property in change.properties { _ = property.listEdits?.moves } }
        }
        _ = start
    }
}
