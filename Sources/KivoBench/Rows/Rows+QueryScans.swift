import Kivo

/// Conditions without an index on a million rows.
extension Rows {
    private static let million = 1_000_000

    static var queryScans: [Row] {
        let numbers = [1, 2, 3, 4, 5, 6, 7, 8]
        let names = [1, 500, 20_000, 90_000].map(ItemData.name)
        return [
            scan("query.begins", 5, "name BEGINSWITH %@", "abc") { $0.name.hasPrefix("abc") },
            scan("query.ends", 5, "name ENDSWITH %@", "abc") { $0.name.hasSuffix("abc") },
            scan("query.contains", 6, "name CONTAINS %@", "abc") { $0.name.contains("abc") },
            scan("query.contains/c", 8, "name CONTAINS[c] %@", "aBc") { $0.name.contains("abc") },
            scan("query.equal/c", 5, "name ==[c] %@", names[3].uppercased()) { $0.name == names[3] },
            scan("query.like", 10, "name LIKE %@", "*ab?c*") { hasPattern($0.name) },
            scan("query.like/c", 40, "name LIKE[c] %@", "*aB?c*") { hasPattern($0.name) },
            scan("query.in/ints", 3, "value IN %@", numbers) { numbers.contains($0.value) },
            scan("query.in/strings", 4.5, "name IN %@", names) { names.contains($0.name) },
            scan("query.less/string", 6, "name < %@", "h") { $0.name < "h" },
            Row("query.path", .fast, .ms, .atMost(10), floor: FloorReference(.scan)) { fixtures in
                let realm = try fixtures.looseSpokes(million).realm
                return count(0) { realm.objects(Spoke.self).filter("hub.value > 5").count }
            },
            scan(
                "query.five", 8,
                "value > %@ AND value < 900000 AND score >= 1000 AND name BEGINSWITH 'c' AND name != 'c'",
                1000
            ) {
                $0.value > 1000 && $0.value < 900_000 && $0.score >= 1000 && $0.name.hasPrefix("c")
            },
        ]
    }

    /// Returns whether a name contains "ab", any byte and "c".
    private static func hasPattern(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.indices.dropLast(3).contains {
            bytes[$0] == UInt8(ascii: "a") && bytes[$0 + 1] == UInt8(ascii: "b")
                && bytes[$0 + 3] == UInt8(ascii: "c")
        }
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
