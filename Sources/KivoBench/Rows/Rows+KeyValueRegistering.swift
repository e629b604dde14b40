import Kivo

/// What it costs to become a key-value observer, and to stop being one.
extension Rows {
    private static let registrations = 200_000

    static var keyValueRegistering: [Row] {
        [
            Row("kvo.register", .kvo, .ns, .atMost(400), measure: register),
            Row("kvo.register/fresh", .observing, .ns, .atMost(600), measure: registerFresh),
            Row("kvo.register/managed", .observing, .ns, .atMost(1_200), measure: registerManaged),
        ]
    }

    /// Adding an observer and removing it again.
    private static func register(_ fixtures: Fixtures) -> Samples {
        let item = Item()
        let tally = Tally()
        let samples = Sampling.perOperation(fixtures.size(registrations)) {
            for _ in 0..<$0 {
                let token = item.observe(\.value, options: []) { _, _ in tally.add() }
                token.invalidate()
            }
        }
        item.value = 1
        tally.take(0, "kvo.register")
        return samples
    }

    /// The same, each time on an object that never had an observer.
    private static func registerFresh(_ fixtures: Fixtures) -> Samples {
        let count = fixtures.size(registrations) / 8
        return Sampling.repetitions(7) {
            registerOnEach((0..<count).map { _ in Item() }) { $0() } / Double(count)
        }
    }

    /// The same with managed objects.
    private static func registerManaged(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(registrations) / 8
        let repetitions = 7
        let store = try fixtures.emptyStore()
        // One more for the repetition that is thrown away.
        try store.realm.addItems(count * (repetitions + 1), name: ItemData.name)
        var fresh = Array(store.realm.objects(Item.self))[...]
        return try Sampling.repetitions(repetitions) {
            defer { fresh = fresh.dropFirst(count) }
            return try registerOnEach(fresh.prefix(count)) { try store.realm.write($0) } / Double(count)
        }
    }

    /// - Parameter write: runs what changes the objects in the end, which nobody may be told of any more.
    private static func registerOnEach(
        _ items: some Sequence<Item>, write: (() -> Void) throws -> Void
    ) rethrows -> Double {
        let tally = Tally()
        let time = nanoseconds {
            for item in items {
                let token = item.observe(\.value, options: []) { _, _ in tally.add() }
                token.invalidate()
            }
        }
        try write { for item in items { item.value += 1 } }
        tally.take(0, "kvo.register")
        return time
    }
}
