import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000

    static var queries: [Row] {
        [
            Row("query.count/where", .queries, .ms, .atMost(1.5)) { fixtures in
                try query(fixtures) { values in
                    values.count { $0 > ItemData.median }
                } answer: { items in
                    items.where { $0.value > ItemData.median }.count
                }
            },
            Row("query.count/filter", .queries, .ms, .atMost(1.5)) { fixtures in
                try query(fixtures) { values in
                    values.count { $0 > ItemData.median }
                } answer: { items in
                    items.filter("value > %@", ItemData.median).count
                }
            },
            Row("query.string", .queries, .ms, .atMost(3.5)) { fixtures in
                let name = ItemData.name(fixtures.size(million) / 2)
                return try query(fixtures) { _ in
                    1
                } answer: { items in
                    items.where { $0.name == name }.count
                }
            },
            Row("query.sort", .queries, .ms, .atMost(200)) { fixtures in
                try query(fixtures) { values in
                    values.min() ?? -1
                } answer: { items in
                    items.sorted(byKeyPath: "value")[0].value
                }
            },
            Row("query.sum", .queries, .ms, .atMost(1.5)) { fixtures in
                try query(fixtures) { values in
                    values.reduce(0, +)
                } answer: { items in
                    items.sum(ofProperty: "value")
                }
            },
            Row("query.sort/strings", .fast, .ms, .atMost(55), measure: sortStrings),
            Row("results.pop", .sound, .ms, .atMost(100)) { fixtures in
                try pop(fixtures) { $0.where { $0.value >= 0 } }
            },
            Row("results.pop/sorted", .sound, .ms) { fixtures in
                try pop(fixtures) { $0.sorted(byKeyPath: "value") }
            },
        ]
    }

    /// Measures sorting 100k items by name, then by value, up to the one in the middle. The first and the last are found without
    /// sorting.
    private static func sortStrings(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(100_000).realm
        let names = fixtures.itemNames(100_000).sorted()
        let order = ["name", "value"].map { Kivo.SortDescriptor(keyPath: $0) }
        return Sampling.repetitions(7) {
            var found = ""
            let time = nanoseconds {
                found = realm.objects(Item.self).sorted(by: order)[names.count / 2].name
            }
            expect(found == names[names.count / 2], "query.sort/strings found something else")
            return time
        }
    }

    /// Measures deleting the first of some results until none is left, in one write.
    private static func pop(
        _ fixtures: Fixtures, _ query: (Results<Item>) -> Results<Item>
    ) throws -> Samples {
        let count = fixtures.size(40_000)
        return try Sampling.repetitions(5) {
            let realm = try fixtures.emptyStore().realm
            try realm.addItems(count, name: ItemData.name)
            let results = query(realm.objects(Item.self))
            var deleted = 0
            let time = try nanoseconds {
                try realm.write {
                    while let first = results.first {
                        realm.delete(first)
                        deleted += 1
                    }
                }
            }
            expect(deleted == count, "results.pop deleted \(deleted) instead of \(count)")
            return time
        }
    }

    /// Measures a query over a million items, which is created and evaluated again in each repetition. The answer is checked
    /// against the values themselves.
    private static func query(
        _ fixtures: Fixtures, expected: ([Int]) -> Int, answer: (Results<Item>) -> Int
    ) throws -> Samples {
        let realm = try fixtures.items(million).realm
        let right = expected(realm.objects(Item.self).map { $0.value })
        return Sampling.repetitions(7) {
            var found = 0
            let time = nanoseconds { found = answer(realm.objects(Item.self)) }
            expect(found == right, "a query answered \(found) instead of \(right)")
            return time
        }
    }
}

/// Conditions without an index on a million rows.
extension Rows {
    static var queryScans: [Row] {
        let numbers = [1, 2, 3, 4, 5, 6, 7, 8]
        let names = [1, 500, 20_000, 90_000].map(ItemData.name)
        return [
            scan("query.begins", 5, "name BEGINSWITH %@", "abc") { $0.name.hasPrefix("abc") },
            scan("query.ends", 5, "name ENDSWITH %@", "abc") { $0.name.hasSuffix("abc") },
            scan("query.contains", 6, "name CONTAINS %@", "abc") { $0.name.contains("abc") },
            scan("query.contains/c", 8, "name CONTAINS[c] %@", "aBc") { $0.name.contains("abc") },
            scan("query.equal/c", 5, "name ==[c] %@", names[3].uppercased()) { $0.name == names[3] },
            scan("query.like", 10, "name LIKE %@", "*a*b*") { hasLetters($0.name) },
            scan("query.like/c", 40, "name LIKE[c] %@", "*a*B*") { hasLetters($0.name) },
            scan("query.in/ints", 3, "value IN %@", numbers) { numbers.contains($0.value) },
            scan("query.in/strings", 4.5, "name IN %@", names) { names.contains($0.name) },
            scan("query.less/string", 6, "name < %@", "h") { $0.name < "h" },
            Row("query.path", .fast, .ms, .atMost(10), floor: FloorReference(.scan)) { fixtures in
                let realm = try fixtures.looseSpokes(million).realm
                return count(0) { realm.objects(Spoke.self).filter("hub.value > 5").count }
            },
            Row("query.path/linked", .fast, .ms, measure: countLinked),
            five,
        ]
    }

    /// Returns a row with five conditions. Half of the items that the others leave satisfy each.
    private static var five: Row {
        Row("query.five", .fast, .ms, .atMost(8), floor: FloorReference(.scan)) { fixtures in
            let realm = try fixtures.items(million).realm
            let count = fixtures.size(million)
            // The names begin with one of the letters from "a" to "p".
            let (score, low, high) = (ItemData.score(count / 2), ItemData.median, ItemData.median * 3 / 2)
            let expected = (0..<count).count {
                let (value, name) = (ItemData.value($0), ItemData.name($0))
                return value >= low && value < high && ItemData.score($0) >= score && name >= "i"
                    && name < "m"
            }
            return self.count(expected) {
                realm.objects(Item.self).filter(
                    "value >= %@ AND value < %@ AND score >= %@ AND name >= 'i' AND name < 'm'", low, high,
                    score
                ).count
            }
        }
    }

    /// Returns whether a name contains an "a" before a "b".
    private static func hasLetters(_ name: String) -> Bool {
        guard let first = name.firstIndex(of: "a") else { return false }
        return name[first...].contains("b")
    }

    /// The values of an item.
    private struct Values {
        let value: Int
        let name: String
        let score: Double
    }

    /// Returns a row that counts the items which satisfy a predicate. The answer is checked against the items' values.
    private static func scan(
        _ name: String, _ limit: Double, _ predicate: String, _ argument: any Sendable,
        holds: @escaping (Values) -> Bool
    ) -> Row {
        Row(name, .fast, .ms, .atMost(limit), floor: FloorReference(.scan)) { fixtures in
            let realm = try fixtures.items(million).realm
            let expected = (0..<fixtures.size(million)).count {
                holds(Values(value: ItemData.value($0), name: ItemData.name($0), score: ItemData.score($0)))
            }
            return count(expected) {
                realm.objects(Item.self).filter(predicate, argument).count
            }
        }
    }

    /// Measures a condition over the links of 100k spokes, which lead to as many items in another order.
    private static func countLinked(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.emptyStore().realm
        let count = fixtures.size(100_000)
        try realm.addItems(count, name: ItemData.name)
        let items = Array(realm.objects(Item.self))
        try realm.write {
            // The factor has no divisor in common with the count, so that each item has one spoke.
            for index in 0..<count { realm.create(Spoke.self).hub = items[index * 7_919 % count] }
        }
        let expected = (0..<count).count { ItemData.value($0) > ItemData.median }
        return self.count(expected) {
            realm.objects(Spoke.self).filter("hub.value > %@", ItemData.median).count
        }
    }

    /// Measures a query that is created and evaluated again in each repetition.
    private static func count(_ expected: Int, _ answer: () -> Int) -> Samples {
        Sampling.repetitions(7) {
            var found = 0
            let time = nanoseconds { found = answer() }
            expect(found == expected, "a query answered \(found) instead of \(expected)")
            return time
        }
    }
}
