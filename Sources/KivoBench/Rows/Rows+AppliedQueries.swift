import Kivo

/// Conditions over links and collections, sorting over a link, and distinct values, through the public API.
///
/// There are 250,000 owners. Each has a list of four numbers, a list of two items and a link to an item, which is nil for one
/// owner in eight. The items are as many as the owners, and are linked in another order. Distinct values and the maximum are
/// those of a million items.
extension Rows {
    static let owners = 250_000

    static var appliedQueries: [Row] {
        [
            count("applied.any", 15, "ANY numbers > %@") { $0.contains { $0 > ItemData.median } },
            count("applied.all", 15, "ALL numbers > %@") { $0.allSatisfy { $0 > ItemData.median } },
            count("applied.avg", 18, "numbers.@avg > %@") { $0.reduce(0, +) > ItemData.median * $0.count },
            count("applied.sum", 3, "numbers.@sum > %@") { $0.reduce(0, +) > ItemData.median },
            Row("applied.count", .fast, .ms, .atMost(3)) { fixtures in
                try answer(fixtures, fixtures.size(owners)) { $0.filter("numbers.@count > 3").count }
            },
            Row("applied.nil", .fast, .ms, .atMost(0.25)) { fixtures in
                let expected = (0..<fixtures.size(owners)).count { $0 % 8 == 0 }
                return try answer(fixtures, expected) { $0.filter("link == nil").count }
            },
            Row("applied.subquery", .fast, .ms, .atMost(40)) { fixtures in
                let count = fixtures.size(owners)
                let expected = (0..<count).count { owner in
                    (0..<2).contains { ItemData.value(ItemData.linked(owner + $0, count)) > ItemData.median }
                }
                return try answer(fixtures, expected) {
                    $0.filter("SUBQUERY(items, $item, $item.value > %@).@count > 0", ItemData.median).count
                }
            },
            Row("applied.sort/link", .fast, .ms, .atMost(250), measure: sortByLink),
            Row("applied.distinct", .fast, .ms, .atMost(100)) { fixtures in
                let realm = try fixtures.items(1_000_000).realm
                let expected = Set((0..<fixtures.size(1_000_000)).map(ItemData.value)).count
                return repeated(expected) { realm.objects(Item.self).distinct(by: ["value"]).count }
            },
            Row("applied.max", .fast, .ms, .atMost(1.6)) { fixtures in
                let realm = try fixtures.items(1_000_000).realm
                let expected = ItemData.score(fixtures.size(1_000_000) - 1)
                return repeated(expected) { realm.objects(Item.self).max(ofProperty: "score")! }
            },
        ]
    }

    /// Returns a row that counts the owners whose numbers satisfy a condition, which compares with the median.
    private static func count(
        _ name: String, _ limit: Double, _ predicate: String, holds: @escaping ([Int]) -> Bool
    ) -> Row {
        Row(name, .fast, .ms, .atMost(limit)) { fixtures in
            let expected = (0..<fixtures.size(owners)).count { holds(ItemData.numbers($0)) }
            return try answer(fixtures, expected) { $0.filter(predicate, ItemData.median).count }
        }
    }

    /// Measures sorting all owners by the names of their links, up to the one in the middle.
    private static func sortByLink(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(owners)
        let names = (0..<count).filter { $0 % 8 != 0 }.map { ItemData.name(ItemData.linked($0, count)) }
        return try answer(fixtures, names.sorted()[count / 2]) {
            $0.sorted(byKeyPath: "link.name")[count / 2].link!.name
        }
    }

    private static func answer<Answer: Equatable>(
        _ fixtures: Fixtures, _ expected: Answer, _ query: (Results<Holder>) -> Answer
    ) throws -> Samples {
        let realm = try fixtures.owners(owners).realm
        return repeated(expected) { query(realm.objects(Holder.self)) }
    }

    /// Measures a query that is created and evaluated again in each repetition.
    private static func repeated<Answer: Equatable>(_ expected: Answer, _ query: () -> Answer) -> Samples {
        Sampling.repetitions(7) {
            var found: Answer?
            let time = nanoseconds { found = query() }
            expect(found == expected, "a query answered \(found!) instead of \(expected)")
            return time
        }
    }
}
