import Kivo

/// What the event handler costs: the delivery of one change to a thousand listeners, for each of them.
extension Rows {
    static var events: [Row] {
        [
            Row("events.none", .pace, .ns) { fixtures in
                try deliveries(fixtures) { delivery, _ in delivery }
            },
            Row("events.all", .pace, .ns, .atMost(150)) { fixtures in
                try deliveries(fixtures) { without, with in with - without }
            },
        ]
    }

    /// Measures deliveries alternately without and with a handler, and returns a figure of both.
    private static func deliveries(
        _ fixtures: Fixtures, _ figure: (_ without: Double, _ with: Double) -> Double
    ) throws -> Samples {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "kivo-bench-events", objectTypes: [Item.self, Holder.self]))
        try realm.addItems(100) { "row \($0)" }
        let items = realm.objects(Item.self)
        let listeners = 1_000
        var calls = 0
        let tokens = (0..<listeners).map { _ in
            items.observe { (_: RealmCollectionChange<Results<Item>>) in calls += 1 }
        }
        defer {
            for token in tokens { token.invalidate() }
            Realm.events = nil
        }
        realm.refresh()
        let rounds = fixtures.size(200)
        let samples = try Sampling.repetitions(9) {
            var times = (without: 0.0, with: 0.0)
            for _ in 0..<rounds {
                Realm.events = nil
                try realm.write { items[0].value += 1 }
                times.without += nanoseconds { realm.refresh() }
                Realm.events = { _ in keep(1) }
                try realm.write { items[0].value += 1 }
                times.with += nanoseconds { realm.refresh() }
            }
            let number = Double(rounds * listeners)
            return figure(times.without / number, times.with / number)
        }
        expect(calls == (1 + 10 * rounds * 2) * listeners, "the listeners were called \(calls) times")
        return samples
    }
}
