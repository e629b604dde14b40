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

    /// Returns the time from the beginning of the write to the return of `refresh`.
    @inline(__always)
    static func setOne(_ realm: Realm, _ item: Item, _ value: Int) throws -> Double {
        try nanoseconds {
            realm.beginWrite()
            item.value = value
            try realm.commitWrite()
            _ = realm.refresh()
        }
    }

    private static func commitUnobserved(_ name: String, rows: Int, _ target: Target) -> Row {
        Row(name, .standUp, .us, target) { fixtures in
            let realm = try fixtures.items(rows).realm
            let items = realm.objects(Item.self)
            let item = items[items.count / 2]
            var random = SplitMix64(state: 4)
            return try Sampling.steps(atMost: 5_000) {
                let value = random.value()
                let time = try setOne(realm, item, value)
                expect(item.value == value, "\(name) did not write")
                return time
            }
        }
    }

    private static func commitToObject(_ fixtures: Fixtures) throws -> Samples {
        let store = try fixtures.items(1_000_000)
        let realm = store.realm
        let items = realm.objects(Item.self)
        let item = items[items.count / 2]
        let recorder = CallbackRecorder("commit.object", observers: 1)
        let token = observe(item, 0, recorder)
        defer { token.invalidate() }
        try store.settle()
        recorder.take([])
        var random = SplitMix64(state: 5)
        return try Sampling.steps(atMost: 5_000) {
            let time = try setOne(realm, item, random.value())
            recorder.take([0])
            return time
        }
    }

    /// Returns a row that measures from a write of one integer to the callback of an observer of a whole table.
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
                let time = try setOne(realm, item, random.value())
                recorder.take(.indices(modifications: [position]))
                return time
            }
        }
    }

    /// Observes one object with a numbered observer. Any other call than a change of the item's `value` stops the benchmark.
    static func observe(
        _ item: Item, _ number: Int, keyPaths: [String]? = nil, _ recorder: CallbackRecorder
    ) -> NotificationToken {
        item.observe(keyPaths: keyPaths) { (change: ObjectChange<Item>) in
            guard case .change(let object, let properties) = change, object === item,
                properties.count == 1, properties[0].name == "value"
            else { fatalError("kivo-bench: an object observer was notified of \(change)") }
            recorder.add(number)
        }
    }
}

extension Rows {
    static var coalescing: [Row] {
        [
            Row("coalesce/refresh", .queries, .ms, .atMost(0.1)) {
                Samples(try coalesce($0).map(\.refresh))
            },
            Row("coalesce/commits", .queries, .ms, .atMost(3)) {
                Samples(try coalesce($0).map(\.commits))
            },
        ]
    }

    /// Measures 1,000 commits of another realm, and then one refresh of the observing realm.
    private static func coalesce(_ fixtures: Fixtures) throws -> [(commits: Double, refresh: Double)] {
        let store = try fixtures.items(1_000)
        let realm = store.realm
        let writer = try store.writer()
        let position = fixtures.size(1_000) / 2
        let item = realm.objects(Item.self)[position]
        let recorder = CallbackRecorder("coalesce/refresh", observers: 1)
        let token = observe(item, 0, recorder)
        defer { token.invalidate() }
        try store.settle()
        recorder.take([])
        var random = SplitMix64(state: 9)
        var samples: [(commits: Double, refresh: Double)] = []
        for round in 0...11 {
            let commits = try writer.perform { other in
                _ = other.refresh()
                let item = other.objects(Item.self)[position]
                return try nanoseconds {
                    for _ in 0..<fixtures.size(1_000) { try other.write { item.value = random.value() } }
                }
            }
            let refresh = nanoseconds { _ = realm.refresh() }
            recorder.take([0])
            if round > 0 { samples.append((commits, refresh)) }
        }
        return samples
    }
}
