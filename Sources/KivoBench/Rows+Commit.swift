import Foundation
import Kivo

extension Rows {
    static var committing: [Row] {
        [
            commitUnobserved("commit.none/1k", rows: 1_000, .atMost(2)),
            commitUnobserved("commit.none/1M", rows: 1_000_000, .atMost(3)),
            Row("commit.object", .standUp, .us, .atMost(5), measure: commitToObject),
            commitToResults("commit.results/1k", rows: 1_000, .atMost(8)),
            commitToResults("commit.results/100k", rows: 100_000, .atMost(8)),
            commitToResults("commit.results/1M", rows: 1_000_000, .atMost(8)),
        ]
    }

    /// From begin until `refresh` returned.
    @inline(__always)
    static func setOne(_ realm: Realm, _ item: Item, _ value: Int) throws {
        realm.beginWrite()
        item.value = value
        try realm.commitWrite()
        _ = realm.refresh()
    }

    private static func commitUnobserved(_ name: String, rows: Int, _ target: Target) -> Row {
        Row(name, .standUp, .us, target) { fixtures in
            let realm = try fixtures.items(rows).realm
            let items = realm.objects(Item.self)
            let item = items[items.count / 2]
            var random = SplitMix64(state: 4)
            return try Sampling.steps(atMost: 5_000) {
                let value = random.value()
                try setOne(realm, item, value)
                expect(item.value == value, "\(name) did not write")
            }
        }
    }

    private static func commitToObject(_ fixtures: Fixtures) throws -> [Double] {
        let store = try fixtures.items(1_000_000)
        let realm = store.realm
        let items = realm.objects(Item.self)
        let item = items[items.count / 2]
        let tally = Tally()
        let token = observe(item, tally)
        defer { token.invalidate() }
        try store.settle()
        tally.take(0, "commit.object")
        var random = SplitMix64(state: 5)
        return try Sampling.steps(atMost: 5_000) {
            try setOne(realm, item, random.value())
            tally.take(1, "commit.object")
        }
    }

    /// A one-int write to the callback of an observer of a whole table.
    static func commitToResults(_ name: String, rows: Int, _ target: Target? = nil) -> Row {
        Row(name, .queries, .us, target) { fixtures in
            let store = try fixtures.items(rows)
            let realm = store.realm
            let items = realm.objects(Item.self)
            let position = items.count / 2
            let item = items[position]
            let recorder = CollectionRecorder(name)
            let token = items.observe { (change: RealmCollectionChange<Results<Item>>) in
                recorder.record(change)
            }
            defer { token.invalidate() }
            try store.settle()
            recorder.takeInitial()
            var random = SplitMix64(state: 6)
            return try Sampling.steps(atMost: 5_000) {
                try setOne(realm, item, random.value())
                recorder.take(.indices(modifications: [position]))
            }
        }
    }

    /// Counts the calls that tell of one changed property; any other call stops the benchmark.
    static func observe(
        _ item: Item, keyPaths: [String]? = nil, _ tally: Tally
    ) -> NotificationToken {
        item.observe(keyPaths: keyPaths) { (change: ObjectChange<Item>) in
            guard case .change(_, let properties) = change, properties.count == 1 else {
                fatalError("kivo-bench: an object observer was told of \(change)")
            }
            tally.add()
        }
    }
}
