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
        ]
    }

    /// Measures one commit that modifies all observed objects, from its beginning to the last callback.
    private static func fanoutAll(
        _ name: String, _ fixtures: Fixtures, _ keyPaths: [String]?
    ) throws -> Samples {
        try withObservedItems(fixtures, name, keyPaths) { realm, items, recorder in
            var random = SplitMix64(state: 7)
            return try Sampling.steps(atMost: 11) {
                let time = try nanoseconds {
                    realm.beginWrite()
                    for item in items { item.value = random.value() }
                    try realm.commitWrite()
                    _ = realm.refresh()
                }
                recorder.take(items.indices)
                return time
            }
        }
    }

    /// Measures one commit that modifies one of the observed objects.
    private static func fanoutOne(
        _ name: String, _ fixtures: Fixtures, _ keyPaths: [String]?
    ) throws -> Samples {
        try withObservedItems(fixtures, name, keyPaths) { realm, items, recorder in
            var random = SplitMix64(state: 8)
            return try Sampling.steps(atMost: 5_000) {
                let number = random.below(items.count)
                let time = try setOne(realm, items[number], random.value())
                recorder.take([number])
                return time
            }
        }
    }

    /// Calls `body` with 10k objects that have one observer each.
    private static func withObservedItems(
        _ fixtures: Fixtures, _ name: String, _ keyPaths: [String]?,
        _ body: (Realm, [Item], CallbackRecorder) throws -> Samples
    ) throws -> Samples {
        let store = try fixtures.items(10_000)
        let items = Array(store.realm.objects(Item.self))
        let recorder = CallbackRecorder(name, observers: items.count)
        let tokens = items.enumerated().map { observe($1, $0, keyPaths: keyPaths, recorder) }
        defer { for token in tokens { token.invalidate() } }
        try store.settle()
        recorder.take([])
        return try body(store.realm, items, recorder)
    }
}
