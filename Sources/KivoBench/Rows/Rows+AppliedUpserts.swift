import Foundation
import Kivo

/// Updates from the data of a server: dictionaries, most of which have the values that are stored already.
extension Rows {
    private static let articles = 25_000

    static var upserts: [Row] {
        [
            Row("applied.upsert/same", .fast, .us, .atMost(6)) { fixtures in
                let store = try fixtures.emptyStore()
                let values = articleValues(fixtures)
                try upsert(values, store)
                return try Sampling.repetitions(5) { try upsert(values, store) }
            },
            Row("applied.upsert/tenth", .fast, .us, .atMost(9)) { fixtures in
                let store = try fixtures.emptyStore()
                var values = articleValues(fixtures)
                try upsert(values, store)
                let sorted = store.realm.objects(Article.self).where { $0.count < 500 }
                    .sorted(by: \.title)
                let token = sorted.observe { _ in }
                defer { token.invalidate() }
                var round = 0
                return try Sampling.repetitions(5) {
                    round += 1
                    for index in stride(from: round % 10, to: values.count, by: 10) {
                        values[index]["price"] = Double(round)
                        values[index]["count"] = (index + round) % 1000
                    }
                    return try upsert(values, store)
                }
            },
            Row("applied.create/json", .fast, .us, .atMost(16)) { fixtures in
                let store = try fixtures.emptyStore()
                let values = articleValues(fixtures)
                return try Sampling.repetitions(5) {
                    try store.realm.write { store.realm.deleteAll() }
                    return try upsert(values, store)
                }
            },
        ]
    }

    /// Writes the articles in one transaction. Returns the nanoseconds for each, with the commit.
    @discardableResult
    private static func upsert(_ values: [[String: Any]], _ store: Store) throws -> Double {
        let time = try nanoseconds {
            try store.realm.write {
                for value in values { store.realm.create(Article.self, value: value, update: .modified) }
            }
        }
        expect(store.realm.objects(Article.self).count == values.count, "an article has two rows")
        return time / Double(values.count)
    }

    /// Dictionaries of twelve values, two of which are lists.
    private static func articleValues(_ fixtures: Fixtures) -> [[String: Any]] {
        (0..<fixtures.size(articles)).map { index in
            [
                "key": index, "title": ItemData.name(index), "summary": "A summary of the article \(index)",
                "author": "Author \(index % 100)", "price": Double(index) / 4, "rating": Double(index % 5),
                "count": index % 1000, "isActive": index % 3 == 0,
                "date": Date(timeIntervalSinceReferenceDate: Double(index)), "note": "note \(index % 7)",
                "tags": ["tag \(index % 3)", "tag \(index % 11)", "tag \(index % 17)"],
                "parts": [
                    ["name": "first part", "amount": index % 4] as [String: Any],
                    ["name": "second part", "amount": index % 9],
                ],
            ]
        }
    }
}
