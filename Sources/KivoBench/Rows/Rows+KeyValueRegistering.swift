import Kivo

/// The cost of adding and removing key-value observers.
extension Rows {
    private static let registrations = 200_000

    static var keyValueRegistering: [Row] {
        [
            Row("kvo.register", .kvo, .ns, .atMost(400), measure: register),
            Row("kvo.register/fresh", .observing, .ns, .atMost(600), measure: registerFresh),
            Row("kvo.register/managed", .observing, .ns, .atMost(1_200), measure: registerManaged),
        ]
    }

    /// Measures adding an observer and removing it again.
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

    /// Measures adding and removing an observer on objects that never had an observer.
    private static func registerFresh(_ fixtures: Fixtures) -> Samples {
        let count = fixtures.size(registrations) / 8
        return Sampling.repetitions(7) {
            registerOnEach((0..<count).map { _ in Item() }) { $0() } / Double(count)
        }
    }

    /// Measures adding and removing an observer on managed objects.
    private static func registerManaged(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(registrations) / 8
        let repetitions = 7
        let store = try fixtures.emptyStore()
        // One more set of objects for the warm-up repetition.
        try store.realm.addItems(count * (repetitions + 1), name: ItemData.name)
        var fresh = Array(store.realm.objects(Item.self))[...]
        return try Sampling.repetitions(repetitions) {
            defer { fresh = fresh.dropFirst(count) }
            return try registerOnEach(fresh.prefix(count)) { try store.realm.write($0) } / Double(count)
        }
    }

    /// - Parameter write: performs the final changes of the objects, of which no observer may be notified any more.
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
