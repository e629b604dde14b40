import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000

    static var writing: [Row] {
        [
            held,
            Row(
                "write.held/neighbour", .observing, .ns, .timesFloor(2), floor: FloorReference(held)
            ) { fixtures in
                try writeHeldBesideObserved(fixtures, distance: 1)
            },
            Row(
                "write.held/distant", .observing, .ns, .timesFloor(2), floor: FloorReference(held)
            ) { fixtures in
                // At a distance of half the table, in another leaf.
                try writeHeldBesideObserved(fixtures, distance: -(fixtures.size(1_000) / 2))
            },
            Row("write.iterate", .standUp, .ns, .atMost(25)) { fixtures in
                Samples(try writeAll(fixtures).map { $0.write / Double(fixtures.size(million)) })
            },
            Row("write.iterate/commit", .standUp, .ms, .atMost(5)) { fixtures in
                Samples(try writeAll(fixtures).map(\.commit))
            },
        ]
    }

    private static var held: Row {
        Row("write.held", .standUp, .ns, .atMost(10), floor: FloorReference(.set), measure: writeHeld)
    }

    static var deleting: [Row] {
        [
            Row("delete/all", .queries, .ms, .atMost(3)) { fixtures in
                try delete(fixtures) { $0.deleteAll() }
            },
            Row("delete/each", .queries, .ms, .atMost(40)) { fixtures in
                try delete(fixtures) { realm in
                    for item in realm.objects(Item.self) { realm.delete(item) }
                }
            },
            Row("delete.listed", .sound, .ms, .atMost(60), measure: deleteListed),
        ]
    }

    private static func writeHeld(_ fixtures: Fixtures) throws -> Samples {
        let store = try fixtures.items(1_000)
        let items = store.realm.objects(Item.self)
        let item = items[items.count / 2]
        let count = fixtures.size(million)
        return try Sampling.repetitions(2) {
            store.realm.beginWrite()
            let time = nanoseconds { for value in 0..<count { write(item, value) } }
            try store.realm.commitWrite()
            expect(read(item) == count - 1, "write.held did not write")
            return time / Double(count)
        }
    }

    /// Measures `write.held` while another object of the class has a key-value observer. `distance` is the number of rows between
    /// them.
    private static func writeHeldBesideObserved(_ fixtures: Fixtures, distance: Int) throws -> Samples {
        let items = try fixtures.items(1_000).realm.objects(Item.self)
        let tally = Tally()
        let observed = items[items.count / 2 + distance]
        let token = observed.observe(\.value, options: []) { _, _ in tally.add() }
        defer { token.invalidate() }
        let samples = try writeHeld(fixtures)
        tally.take(0, "write.held beside an observed object")
        try fixtures.items(1_000).realm.write { write(observed, 1) }
        tally.take(1, "write.held beside an observed object")
        return samples
    }

    private static func writeAll(_ fixtures: Fixtures) throws -> [(write: Double, commit: Double)] {
        let realm = try fixtures.items(million).realm
        var random = SplitMix64(state: 3)
        var samples: [(write: Double, commit: Double)] = []
        for round in 0...5 {
            var sum = 0
            realm.beginWrite()
            let write = nanoseconds {
                for item in realm.objects(Item.self) {
                    let value = random.value()
                    sum &+= value
                    item.value = value
                }
            }
            let commit = try nanoseconds { try realm.commitWrite() }
            let written = realm.objects(Item.self).reduce(0) { $0 &+ $1.value }
            expect(written == sum, "write.iterate wrote something else")
            if round > 0 { samples.append((write, commit)) }
        }
        return samples
    }

    /// Measures deleting 100k items from their own realm, from the beginning of the write through the commit.
    private static func delete(_ fixtures: Fixtures, _ body: (Realm) -> Void) throws -> Samples {
        let store = try fixtures.emptyStore()
        let names = fixtures.itemNames(100_000)
        return try Sampling.repetitions {
            try store.realm.addItems(fixtures.size(100_000)) { names[$0] }
            let time = try nanoseconds { try store.realm.write { body(store.realm) } }
            expect(store.realm.objects(Item.self).isEmpty, "not all items were deleted")
            return time
        }
    }

    /// Measures deleting 40k items one by one, from the beginning of the write through the commit. One list contains all of them
    /// in random order.
    private static func deleteListed(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.emptyStore().realm
        let names = fixtures.itemNames(40_000)
        let holder = try realm.write { realm.create(Holder.self) }
        var random = SplitMix64(state: 13)
        return try Sampling.repetitions {
            try realm.addItems(fixtures.size(40_000)) { names[$0] }
            let items = Array(realm.objects(Item.self))
            try realm.write { holder.items.append(objectsIn: items.shuffled(using: &random)) }
            let time = try nanoseconds {
                try realm.write { for item in items { realm.delete(item) } }
            }
            expect(holder.items.isEmpty && realm.objects(Item.self).isEmpty, "not all items were deleted")
            return time
        }
    }
}

extension Rows {
    private static let count = 100_000

    static var creating: [Row] {
        [
            Row("create.add", .standUp, .ns, .atMost(300)) { fixtures in
                try measure(fixtures) {
                    try fixtures.emptyStore().realm
                } fill: { realm, count, names in
                    try realm.addItems(count) { names[$0] }
                }
            },
            Row("create.keyed", .fast, .ns, .atMost(900), measure: createKeyed),
            Row("create.value", .standUp, .ns, .atMost(1_000)) { fixtures in
                try measure(fixtures) {
                    try fixtures.emptyStore().realm
                } fill: { realm, count, names in
                    try realm.write {
                        for index in 0..<count {
                            let value: [String: Any] = [
                                "value": ItemData.value(index), "name": names[index],
                                "score": ItemData.score(index),
                            ]
                            _ = realm.create(Item.self, value: value)
                        }
                    }
                }
            },
            Row("create.file", .standUp, .ns, .atMost(400), usesDisk: true) { fixtures in
                try measure(fixtures) {
                    try Realm(configuration: try fixtures.fileConfiguration())
                } fill: { realm, count, names in
                    try realm.addItems(count) { names[$0] }
                }
            },
        ]
    }

    /// Measures adding unmanaged objects with a primary key to a new realm in each repetition.
    private static func createKeyed(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(count)
        let names = fixtures.itemNames(Self.count)
        return try Sampling.repetitions {
            let realm = try fixtures.emptyStore().realm
            let time = try nanoseconds {
                try realm.write {
                    for index in 0..<count {
                        let account = Account()
                        account.key = index
                        account.value = ItemData.value(index)
                        account.score = ItemData.score(index)
                        account.isMarked = index % 3 == 0
                        account.name = names[index]
                        realm.add(account)
                    }
                }
            }
            let found = realm.object(ofType: Account.self, forPrimaryKey: count / 2)
            expect(
                realm.objects(Account.self).count == count && found?.name == names[count / 2],
                "create.keyed created something else")
            return time / Double(count)
        }
    }

    /// Measures the filling of a new realm in each repetition.
    private static func measure(
        _ fixtures: Fixtures, realm makeRealm: () throws -> Realm,
        fill: (Realm, Int, [String]) throws -> Void
    ) throws -> Samples {
        let count = fixtures.size(count)
        let names = fixtures.itemNames(Self.count)
        return try Sampling.repetitions {
            let realm = try makeRealm()
            let time = try nanoseconds { try fill(realm, count, names) }
            expect(realm.objects(Item.self).count == count, "not all items were created")
            return time / Double(count)
        }
    }
}
