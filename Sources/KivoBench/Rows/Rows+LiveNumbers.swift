import Kivo

/// Numbers that follow a million rows: the time of the delivery of a commit of one change.
extension Rows {
    static var liveNumbers: [Row] {
        [
            live("live.count/1M") { items, called in
                items.where { $0.value >= 0 }.live.count.observe { called($0) }
            },
            live("live.sum/1M") { items, called in
                items.where { $0.value >= 0 }.live.sum(of: \.value).observe { called($0) }
            },
            live("live.double/1M") { items, called in
                items.where { $0.value >= 0 }.live.sum(of: \.score).observe { called(Int($0)) }
            },
            live("live.max/1M") { items, called in
                items.where { $0.value >= 0 }.live.max(of: \.value).observe { called($0 ?? 0) }
            },
            live("live.group/1M") { items, called in
                items.grouped(by: \.name).sum(of: \.value).observe { called($0.modifications.count) }
            },
        ]
    }

    private static func live(
        _ name: String,
        _ observe: @escaping (Results<Item>, @escaping (Int) -> Void) -> NotificationToken
    ) -> Row {
        Row(name, .pace, .us, .atMost(5)) { fixtures in
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "kivo-bench-live", objectTypes: [Item.self, Holder.self]))
            let rows = fixtures.size(1_000_000)
            try realm.addItems(rows) { "group \($0 % 1_000)" }
            let items = realm.objects(Item.self)
            var (calls, last) = (0, 0)
            let token = observe(items) {
                calls += 1
                last = $0
            }
            realm.refresh()
            var random = SplitMix64(state: 48)
            let commits = fixtures.size(20_000)
            let samples = try Sampling.repetitions(7) {
                var time = 0.0
                for _ in 0..<commits {
                    let item = items[random.below(rows)]
                    // A number beyond the condition's bound and back, so that each number changes.
                    try realm.write {
                        item.value = -1 - item.value
                        item.score += 1
                    }
                    time += nanoseconds { realm.refresh() }
                }
                return time / Double(commits)
            }
            keep(last)
            expect(calls > 0, "\(name) received no number")
            token.invalidate()
            return samples
        }
    }
}
