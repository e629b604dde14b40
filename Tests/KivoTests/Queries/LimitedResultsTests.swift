import Kivo
import KivoTesting
import TestRandomness
import XCTest

final class LimitedItem: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var rank = 0
    @Persisted var items: List<LimitedItem>
    @Persisted var numbers: List<Int>
    @Persisted var scores: Map<String, Int>
}

/// Results that keep elements by their positions: `first(_:)`, `dropFirst(_:)`, and `LIMIT` in predicate strings.
final class LimitedResultsTests: RealmTestCase {
    private func filled(_ ranks: [Int]) throws -> Realm {
        let realm = try openRealm()
        try realm.write {
            for (id, rank) in ranks.enumerated() {
                realm.create(LimitedItem.self, value: ["id": id, "rank": rank])
            }
        }
        return realm
    }

    func testPositionsCountAndEnds() throws {
        let realm = try filled([5, 3, 9, 1, 7])
        let sorted = realm.objects(LimitedItem.self).sorted(by: \.rank)
        let ranks = { (results: Results<LimitedItem>) -> [Int] in results.map(\.rank) }
        XCTAssertEqual(ranks(sorted.first(2)), [1, 3])
        XCTAssertEqual(ranks(sorted.dropFirst(2)), [5, 7, 9])
        XCTAssertEqual(ranks(sorted.dropFirst(1).first(3)), [3, 5, 7])
        XCTAssertEqual(ranks(sorted.first(3).dropFirst(1)), [3, 5])
        XCTAssertEqual(ranks(sorted.first(4).first(2).dropFirst(1)), [3])
        XCTAssertEqual(ranks(sorted.dropFirst(1).dropFirst(.max).first(3)), [])
        XCTAssertEqual(ranks(sorted.first(.max)), [1, 3, 5, 7, 9])
        XCTAssertEqual(ranks(sorted.first(0)), [])
        let middle = sorted.dropFirst(1).first(3)
        XCTAssertEqual(
            [middle.count, middle.first?.rank, middle.last?.rank, middle[1].rank], [3, 3, 7, 5])
        XCTAssertEqual(sorted.dropFirst(9).first?.rank, nil)
        XCTAssertTrue(sorted.first(0).isEmpty)
        XCTAssertTrue(sorted.dropFirst(5).isEmpty)
        XCTAssertFalse(sorted.dropFirst(4).isEmpty)
        XCTAssertNil(sorted.first(0).first)
        XCTAssertEqual(sorted.dropFirst(4).last?.rank, 9)
        XCTAssertEqual(middle.sum(of: \.rank), 15)
        XCTAssertEqual([middle.min(of: \.rank), middle.max(of: \.rank)], [3, 7])
        XCTAssertEqual(middle.index(of: sorted[2]), 1)
        XCTAssertNil(middle.index(of: sorted[0]))
        XCTAssertEqual(middle.index(matching: "rank > 4"), 1)
        XCTAssertEqual(ranks(middle.freeze()), [3, 5, 7])
        XCTAssertEqual(middle.live.count.value, 3)
        XCTAssertEqual(middle.grouped(by: \.rank).count.count, 3)
    }

    /// A whole class is not evaluated; and it need not be, to find its first elements.
    func testWindowsOfAWholeClass() throws {
        let realm = try filled((0..<600).map { $0 })
        let all = realm.objects(LimitedItem.self)
        for (skipped, limit) in [(0, 3), (300, 2), (599, 9), (600, 1), (0, 1_000), (5, 0)] {
            let window = all.dropFirst(skipped).first(limit)
            let expected = Array((0..<600).dropFirst(skipped).prefix(limit))
            XCTAssertEqual(window.first?.rank, expected.first)
            XCTAssertEqual(window.last?.rank, expected.last)
            XCTAssertEqual(window.count, expected.count)
            XCTAssertEqual(Array(window.map(\.rank)), expected)
            let token = window.observe { _ in }
            realm.refresh()
            XCTAssertEqual(Array(window.map(\.rank)), expected)
            XCTAssertEqual(window.freeze().map(\.rank), expected)
            token.invalidate()
        }
    }

    /// `first` and `first(where:)` stay what they are.
    func testNamesOfCollections() throws {
        let realm = try filled([5, 3])
        let all = realm.objects(LimitedItem.self)
        XCTAssertEqual(all.first?.rank, 5)
        XCTAssertEqual(all.first { $0.rank < 4 }?.rank, 3)
        let slice: Slice<Results<LimitedItem>> = all.dropFirst(1)
        XCTAssertEqual(slice.map(\.rank), [3])
        XCTAssertEqual(all.dropFirst().map(\.rank), [3])
        XCTAssertEqual(all.prefix(1).map(\.rank), [5])
    }

    func testLimitInPredicates() throws {
        let realm = try filled([5, 3, 9, 1, 7])
        let sorted = realm.objects(LimitedItem.self).sorted(by: \.rank)
        XCTAssertEqual(sorted.filter("rank > 1 LIMIT(2)").map(\.rank), [3, 5])
        XCTAssertEqual(sorted.filter("rank > %@ limit(%@)", 1, 3).map(\.rank), [3, 5, 7])
        XCTAssertEqual(sorted.filter("(rank > 1 OR rank < 1) LIMIT(0)").count, 0)
        XCTAssertEqual(sorted.filter("TRUEPREDICATE LIMIT(%d)", 1).map(\.rank), [1])
        let list = try realm.write {
            let owner = sorted[0]
            owner.numbers.append(objectsIn: [4, 2, 8])
            return owner.numbers
        }
        XCTAssertEqual(Array(list.filter("self > 2 LIMIT(1)")), [4])
        XCTAssertEqual(sorted.filter("rank > 0 LIMIT(%@)", UInt8(2)).count, 2)
        let scores = try realm.write {
            let owner = sorted[1]
            (owner.scores["a"], owner.scores["b"], owner.scores["c"]) = (1, 3, 4)
            return owner.scores
        }
        XCTAssertEqual(Array(scores.filter("self > 2 LIMIT(1)")), [3])
    }

    /// Elements slide into the results and out of them.
    func testAnObserverIsToldWhatSlides() throws {
        let realm = try filled([10, 20, 30, 40, 50])
        let top = realm.objects(LimitedItem.self).sorted(by: \.rank).first(3)
        var changes: [String] = []
        let token = top.observe { (change: RealmCollectionChange<Results<LimitedItem>>) in
            if case .update(let items, let deletions, let insertions, let modifications) = change {
                changes.append("-\(deletions) +\(insertions) ~\(modifications) = \(Array(items.map(\.rank)))")
            }
        }
        defer { token.invalidate() }
        func told(_ write: (Results<LimitedItem>) -> Void) throws -> [String] {
            changes = []
            try realm.write { write(realm.objects(LimitedItem.self).sorted(by: \.rank)) }
            realm.refresh()
            return changes
        }
        realm.refresh()
        XCTAssertEqual(
            try told { _ in realm.create(LimitedItem.self, value: ["id": 9, "rank": 5]) },
            ["-[2] +[0] ~[] = [5, 10, 20]"])
        XCTAssertEqual(try told { realm.delete($0[1]) }, ["-[1] +[2] ~[] = [5, 20, 30]"])
        XCTAssertEqual(try told { $0[4].rank = 60 }, [], "behind the limit")
        XCTAssertEqual(try told { $0[1].rank = 21 }, ["-[] +[] ~[1] = [5, 21, 30]"])
        XCTAssertEqual(try told { $0[0].rank = 45 }, ["-[0] +[2] ~[] = [21, 30, 40]"])
        XCTAssertEqual(try told { $0[4].rank = 25 }, ["-[2] +[1] ~[] = [21, 25, 30]"])
        XCTAssertEqual(
            try told { items in for _ in 0..<3 { realm.delete(items[0]) } }.count, 1)
        XCTAssertEqual(top.map(\.rank), [40, 45])
    }

    /// The slow model: the elements of all results at the positions.
    func testAgainstAllElements() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(3, within: 0.1) {
            let realm = try filled((0..<random.below(20)).map { _ in random.below(30) })
            let all = realm.objects(LimitedItem.self)
            let owner = try realm.write { realm.create(LimitedItem.self, value: ["id": -1]) }
            let wholes: [Results<LimitedItem>] = [
                all, all.sorted(by: \.rank), all.where { $0.rank > 10 }, all.distinct(by: [\.rank]),
                owner.items.sorted(by: \.rank), owner.items.where { $0.rank < 20 },
            ]
            let windows = wholes.flatMap { whole in
                (0..<3).map { _ in (whole, skipped: random.below(8), limit: random.below(9)) }
            }
            let limited = windows.map { $0.0.dropFirst($0.skipped).first($0.limit) }
            let tables = limited.map { _ in BatchUpdateTable<LimitedItem, Int> { $0.rank } }
            let tokens = zip(limited, tables).enumerated().filter { $0.offset % 2 == 0 }.map { _, pair in
                pair.0.observe { pair.1.apply($0) }
            }
            func check(_ step: String) {
                for (index, window) in windows.enumerated() {
                    let expected = Array(window.0.map(\.rank).dropFirst(window.skipped).prefix(window.limit))
                    XCTAssertEqual(limited[index].map(\.rank), expected, "\(step), \(index)")
                    XCTAssertEqual(limited[index].count, expected.count, step)
                    XCTAssertEqual(limited[index].first?.rank, expected.first, step)
                    XCTAssertEqual(limited[index].last?.rank, expected.last, step)
                    XCTAssertEqual(limited[index].isEmpty, expected.isEmpty, step)
                }
            }
            for step in 0..<30 {
                try realm.write {
                    for _ in 0...random.below(3) {
                        let id = random.below(25)
                        let item = realm.create(
                            LimitedItem.self, value: ["id": id, "rank": random.below(30)],
                            update: .modified)
                        switch random.below(5) {
                        case 0: realm.delete(item)
                        case 1: owner.items.append(item)
                        case 2 where !owner.items.isEmpty:
                            owner.items.remove(at: random.below(owner.items.count))
                        default: break
                        }
                        if random.below(4) == 0 { check("inside of step \(step)") }
                    }
                }
                realm.refresh()
                check("step \(step)")
                for (index, table) in tables.enumerated() where index % 2 == 0 {
                    XCTAssertEqual(table.problems, [])
                    XCTAssertEqual(table.rows, limited[index].map(\.rank))
                }
            }
            for token in tokens { token.invalidate() }
            try realm.write { realm.deleteAll() }
        }
    }
}
