import Kivo

/// A thousand observed results of one realm, which a commit changes as a whole, or which are all the same.
extension Rows {
    static var manyViews: [Row] {
        let one = Row("views.one", .pace, .ms) { try changeSame(observers: 1, $0) }
        return [
            Row("views.rotate", .pace, .ms, .atMost(400), measure: rotate),
            Row("views.same", .pace, .ms, .timesFloor(3), floor: FloorReference(one)) {
                try changeSame(observers: $0.size(1_000), $0)
            },
        ]
    }

    /// Measures the delivery of a commit that moves the first row to the end, and gives each row another place, to sorted results
    /// of about 1,000 rows.
    private static func rotate(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(1_000)
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "kivo-bench-rotate", objectTypes: [Item.self, Holder.self]))
        let rows = 2 * count
        try realm.addItems(rows) { "row \($0)" }
        let items = Array(realm.objects(Item.self))
        try realm.write {
            for (index, item) in items.enumerated() { (item.value, item.score) = (index, Double(index)) }
        }
        var reported = 0
        let tokens = (0..<count).map { number in
            realm.objects(Item.self).where { $0.value >= number + count / 2 }
                .sorted(byKeyPath: "score")
                .observe { (change: RealmCollectionChange<Results<Item>>) in
                    if case .update(_, _, let insertions, let modifications) = change {
                        reported += insertions.count + modifications.count
                    }
                }
        }
        defer { for token in tokens { token.invalidate() } }
        realm.refresh()
        let samples = try Sampling.repetitions(7) {
            try realm.write {
                for item in items { item.score = item.score == 0 ? Double(rows - 1) : item.score - 1 }
            }
            return nanoseconds { realm.refresh() }
        }
        expect(reported > 0, "views.rotate reported nothing")
        return samples
    }

    /// Measures the delivery of a commit of 1,000 changes to observers of one sorted query.
    private static func changeSame(observers: Int, _ fixtures: Fixtures) throws -> Samples {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "kivo-bench-same", objectTypes: [Item.self, Holder.self]))
        let rows = fixtures.size(10_000)
        try realm.addItems(rows) { "row \($0)" }
        let items = Array(realm.objects(Item.self))
        var calls = 0
        let tokens = (0..<observers).map { _ in
            realm.objects(Item.self).where { $0.value >= 0 }.sorted(byKeyPath: "score")
                .observe { (_: RealmCollectionChange<Results<Item>>) in calls += 1 }
        }
        defer { for token in tokens { token.invalidate() } }
        realm.refresh()
        var random = SplitMix64(state: 49)
        let samples = try Sampling.repetitions(7) {
            try realm.write { for _ in 0..<1_000 { items[random.below(rows)].score += 1 } }
            return nanoseconds { realm.refresh() }
        }
        expect(calls >= observers * 8, "views.same called \(calls) times")
        return samples
    }
}
