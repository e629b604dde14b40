import Foundation
import Kivo

extension Rows {
    static var fanout: [Row] {
        [
            Row("fanout.all", .queries, .ms, .atMost(6)) { try fanoutAll("fanout.all", $0, nil) },
            Row("fanout.one", .queries, .us, .atMost(10)) { try fanoutOne("fanout.one", $0, nil) },
            Row("fanout.keypath/all", .observing, .ms, .atMost(8)) {
                try fanoutAll("fanout.keypath/all", $0, ["value"])
            },
            Row("fanout.keypath/one", .observing, .us, .atMost(10)) {
                try fanoutOne("fanout.keypath/one", $0, ["value"])
            },
            Row("coalesce/refresh", .queries, .ms, .atMost(0.1)) { try coalesce($0).map(\.refresh) },
            Row("coalesce/commits", .queries, .ms, .atMost(3)) { try coalesce($0).map(\.commits) },
        ]
    }

    /// One commit modifies all observed objects: from begin to the last callback.
    private static func fanoutAll(_ name: String, _ fixtures: Fixtures, _ keyPaths: [String]?) throws
        -> [Double]
    {
        try withObservedItems(fixtures, name, keyPaths) { realm, items, tally in
            var random = SplitMix64(state: 7)
            return try Sampling.events(atMost: 11) {
                let time = try nanoseconds {
                    realm.beginWrite()
                    for item in items { item.value = random.value() }
                    try realm.commitWrite()
                    _ = realm.refresh()
                }
                tally.take(items.count, name)
                return time
            }
        }
    }

    /// One commit modifies one of them.
    private static func fanoutOne(_ name: String, _ fixtures: Fixtures, _ keyPaths: [String]?) throws
        -> [Double]
    {
        try withObservedItems(fixtures, name, keyPaths) { realm, items, tally in
            var random = SplitMix64(state: 8)
            return try Sampling.steps(atMost: 5_000) {
                try setOne(realm, items[random.below(items.count)], random.value())
                tally.take(1, name)
            }
        }
    }

    /// 10k objects with an observer each.
    private static func withObservedItems(
        _ fixtures: Fixtures, _ name: String, _ keyPaths: [String]?,
        _ body: (Realm, [Item], Tally) throws -> [Double]
    ) throws -> [Double] {
        let store = try fixtures.items(10_000)
        let items = Array(store.realm.objects(Item.self))
        let tally = Tally()
        let tokens = items.map { observe($0, keyPaths: keyPaths, tally) }
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
}
