import Kivo

extension Rows {
    static var memory: [Row] {
        [
            memory("memory.item", .queries, .item, .atMost(42)),
            memory("memory.row/six", .fast, .six, .atMost(60)),
            memory("leaf.sparse", .sound, .sparse, .atMost(600)),
            Row("leaf.wide", .sound, .us, .atMost(15), measure: insertWide),
        ]
    }

    private static func memory(_ name: String, _ issue: Issue, _ probe: MemoryProbe, _ target: Target) -> Row
    {
        Row(name, issue, .bytes, target) { fixtures in
            let count = fixtures.size(1_000_000)
            return Samples(try (0..<5).map { _ in try probe.askChild(count) })
        }
    }

    /// Measures a commit that inserts one row of a class with 100 properties next to 1k rows.
    private static func insertWide(_ fixtures: Fixtures) throws -> Samples {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: "leaf.wide", objectTypes: [Hundredfold.self]))
        try realm.write { for _ in 0..<1_000 { realm.add(Hundredfold()) } }
        let count = realm.objects(Hundredfold.self).count
        var inserted = 0
        let samples = try Sampling.steps(atMost: 2_000) {
            inserted += 1
            return try nanoseconds {
                realm.beginWrite()
                _ = realm.create(Hundredfold.self)
                try realm.commitWrite()
            }
        }
        expect(realm.objects(Hundredfold.self).count == count + inserted, "leaf.wide did not insert")
        return samples
    }
}
