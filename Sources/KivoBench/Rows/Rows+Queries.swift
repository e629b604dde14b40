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
            Row("results.pop", .sound, .ms, .atMost(100)) { fixtures in
                try pop(fixtures) { $0.where { $0.value >= 0 } }
            },
            Row("results.pop/sorted", .sound, .ms) { fixtures in
                try pop(fixtures) { $0.sorted(byKeyPath: "value") }
            },
        ]
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
