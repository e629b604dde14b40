import Kivo
import KivoTesting
import XCTest

/// A stand-in for a view that shows a map: it follows the notifications, and reports those that are inconsistent.
final class MapUpdateTableTests: MapNotificationTestCase {
    func testFollowsAnObservedMap() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2, "c": 3], in: realm)
        let table = MapUpdateTable<String, Int, Int> { $0 }
        tokens.append(bag.counts.observe { table.apply($0) })
        realm.refresh()
        XCTAssertEqual(table.rows, ["a": 1, "b": 2, "c": 3])
        try realm.write {
            bag.counts["a"] = nil
            bag.counts["b"] = nil
            bag.counts["b"] = 20
            bag.counts["c"] = 30
            bag.counts["d"] = 4
        }
        realm.refresh()
        XCTAssertEqual(table.rows, ["b": 20, "c": 30, "d": 4])
        try realm.write { realm.delete(bag) }
        realm.refresh()
        XCTAssertEqual(table.rows, [:])
        XCTAssertEqual(table.changeCount, 3)
        XCTAssertEqual(table.problems, [])
    }

    func testFindsWhatDoesNotAddUp() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2], in: realm)
        let table = MapUpdateTable<String, Int, Int> { $0 }
        table.apply(.initial(bag.counts))
        try realm.write { bag.counts["a"] = 10 }
        table.apply(.update(bag.counts, deletions: ["x"], insertions: ["b"], modifications: ["z", "y"]))
        XCTAssertEqual(
            table.problems,
            [
                #"change 2: modifications ["z", "y"] do not ascend"#,
                "change 2: x is deleted and was not there", "change 2: z is modified and was not there",
                "change 2: y is modified and was not there", "change 2: b is inserted and was there",
                "change 2: a shows 1 and should show 10",
            ])
        table.apply(.update(bag.counts, deletions: ["a"], insertions: [], modifications: []))
        XCTAssertEqual(table.problems.last, "change 3: a shows nothing and should show 10")
        XCTAssertEqual(table.rows, ["a": 10, "b": 2])
    }
}
