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

    static var fanout: [Row] {
        [
            Row("fanout.all", .queries, .ms, .atMost(6), measure: fanoutAll),
            Row("fanout.one", .queries, .us, .atMost(10), measure: fanoutOne),
            Row("coalesce/refresh", .queries, .ms, .atMost(0.1)) { try coalesce($0).map(\.refresh) },
            Row("coalesce/commits", .queries, .ms, .atMost(3)) { try coalesce($0).map(\.commits) },
        ]
    }

    /// From begin until `refresh` returned.
    @inline(__always)
    private static func setOne(_ realm: Realm, _ item: Item, _ value: Int) throws {
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

    private static func fanoutAll(_ fixtures: Fixtures) throws -> [Double] {
        try withObservedItems(fixtures, "fanout.all") { realm, items, tally in
            var random = SplitMix64(state: 7)
            return try Sampling.repetitions(11) {
                let time = try nanoseconds {
                    realm.beginWrite()
                    for item in items { item.value = random.value() }
                    try realm.commitWrite()
                    _ = realm.refresh()
                }
                tally.take(items.count, "fanout.all")
                return time
            }
        }
    }

    private static func fanoutOne(_ fixtures: Fixtures) throws -> [Double] {
        try withObservedItems(fixtures, "fanout.one") { realm, items, tally in
            var random = SplitMix64(state: 8)
            return try Sampling.steps(atMost: 5_000) {
                try setOne(realm, items[random.below(items.count)], random.value())
                tally.take(1, "fanout.one")
            }
        }
    }

    /// 10k objects with an observer each.
    private static func withObservedItems(
        _ fixtures: Fixtures, _ name: String, _ body: (Realm, [Item], Tally) throws -> [Double]
    ) throws -> [Double] {
        let store = try fixtures.items(10_000)
        let items = Array(store.realm.objects(Item.self))
        let tally = Tally()
        let tokens = items.map { observe($0, tally) }
        defer { for token in tokens { token.invalidate() } }
        try store.settle()
        tally.take(0, name)
        return try body(store.realm, items, tally)
    }

    /// 1,000 commits of another realm, then one refresh of the observing one.
    private static func coalesce(_ fixtures: Fixtures) throws -> [(commits: Double, refresh: Double)] {
        let store = try fixtures.items(1_000)
        let realm = store.realm
        let writer = try store.writer()
        let position = fixtures.size(1_000) / 2
        let item = realm.objects(Item.self)[position]
        let tally = Tally()
        let token = observe(item, tally)
        defer { token.invalidate() }
        try store.settle()
        tally.take(0, "coalesce")
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
            tally.take(1, "coalesce/refresh")
            if round > 0 { samples.append((commits, refresh)) }
        }
        return samples
    }

    /// Counts the calls that tell of one changed property; any other call stops the benchmark.
    private static func observe(_ item: Item, _ tally: Tally) -> NotificationToken {
        item.observe { (change: ObjectChange<Item>) in
            guard case .change(_, let properties) = change, properties.count == 1 else {
                fatalError("kivo-bench: an object observer was told of \(change)")
            }
            tally.add()
        }
    }
}
