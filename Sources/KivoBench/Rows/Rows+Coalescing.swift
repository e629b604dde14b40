import Foundation
import Kivo

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
