import Foundation
import Kivo

extension Rows {
    private static let sets = 200_000

    static var keyValueObserving: [Row] {
        [
            Row("kvo.unobserved", .kvo, .ns, .timesFloor(1.2), floor: FloorReference(.set)) { fixtures in
                let item = Item()
                return Sampling.perOperation(fixtures.size(5_000_000)) {
                    for value in 0..<$0 { write(item, value) }
                    expect(read(item) == $0 - 1, "kvo.unobserved did not set")
                }
            },
            Row("kvo.one", .kvo, .ns, .atMost(60), floor: FloorReference(.set)) {
                observedSets($0, observers: 1)
            },
            Row(
                "kvo.managed", .observing, .ns, .atMost(150), floor: FloorReference(.set),
                measure: observedManagedSets
            ),
            Row("kvo.ten", .kvo, .ns, .atMost(400), floor: FloorReference(.set)) {
                observedSets($0, observers: 10)
            },
            Row("kvo.values", .kvo, .ns, .atMost(100), floor: FloorReference(.set), measure: setsWithValues),
            Row("kvo.list", .kvo, .ns, .atMost(250), measure: appendToObserved),
        ]
    }

    /// Measures assignments to a property of an unmanaged object, with observers that requested no values.
    private static func observedSets(_ fixtures: Fixtures, observers: Int) -> Samples {
        let item = Item()
        let tally = Tally()
        let tokens = (0..<observers).map { _ in
            item.observe(\.value, options: []) { object, _ in
                expect(object === item, "kvo.one or kvo.ten was told of another object")
                tally.add()
            }
        }
        defer { for token in tokens { token.invalidate() } }
        return Sampling.perOperation(fixtures.size(sets)) {
            for value in 0..<$0 {
                write(item, value)
                tally.take(observers, "kvo.one or kvo.ten")
            }
        }
    }

    /// Measures `kvo.one` on a managed object, within one write.
    private static func observedManagedSets(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(1_000).realm
        let items = realm.objects(Item.self)
        let item = items[items.count / 2]
        let tally = Tally()
        let token = item.observe(\.value, options: []) { object, _ in
            expect(object === item, "kvo.managed was told of another object")
            tally.add()
        }
        defer { token.invalidate() }
        return try realm.write {
            Sampling.perOperation(fixtures.size(sets)) {
                for value in 0..<$0 {
                    write(item, value)
                    tally.take(1, "kvo.managed")
                }
                expect(read(item) == $0 - 1, "kvo.managed did not set")
            }
        }
    }

    private static func setsWithValues(_ fixtures: Fixtures) -> Samples {
        let item = Item()
        let tally = Tally()
        let token = item.observe(\.value, options: [.old, .new]) { _, change in
            guard let old = change.oldValue, let new = change.newValue else {
                fatalError("kivo-bench: kvo.values got no values")
            }
            tally.add(new &- old)
        }
        defer { token.invalidate() }
        var value = 0
        return Sampling.perOperation(fixtures.size(sets)) {
            for _ in 0..<$0 {
                value += 7
                write(item, value)
                tally.take(1, "kvo.values")
                expect(tally.last == 7, "kvo.values got other values")
            }
        }
    }

    /// Measures appending to a list of an unmanaged object, whose observer receives the kind and the index.
    private static func appendToObserved(_ fixtures: Fixtures) -> Samples {
        let holder = Holder()
        let tally = Tally()
        let token = holder.observe(\.numbers, options: []) { _, change in
            guard change.kind == .insertion, let indexes = change.indexes, let index = indexes.first else {
                fatalError("kivo-bench: kvo.list was told of no insertion")
            }
            tally.add(index)
        }
        defer { token.invalidate() }
        let numbers = holder.numbers
        return Sampling.repetitions(7) {
            let count = fixtures.size(sets)
            let start = numbers.count
            return nanoseconds {
                for index in start..<(start + count) {
                    numbers.append(index)
                    tally.take(1, "kvo.list")
                    expect(tally.last == index, "kvo.list was told another index")
                }
            } / Double(count)
        }
    }
}

/// The cost of key-value observed objects of a realm.
extension Rows {
    static var keyValueRefreshing: [Row] {
        [
            refresh("kvo.refresh/all", changed: 10_000, .atMost(3.5)),
            refresh("kvo.refresh/one", changed: 1, .atMost(0.01)),
        ]
    }

    static var keyValueDeleting: [Row] {
        [
            Row("kvo.delete/50k", .observing, .us, .atMost(1.2)) {
                try deleteBesideObserved($0, observed: 50_000, elements: 10)
            },
            Row("kvo.delete/long", .observing, .us, .atMost(1.2)) {
                try deleteBesideObserved($0, observed: 1, elements: 100_000)
            },
        ]
    }

    /// Returns a row that measures the refresh after another realm has changed some of 10k observed objects.
    private static func refresh(_ name: String, changed: Int, _ target: Target) -> Row {
        Row(name, .kvo, .ms, target) { fixtures in
            let store = try fixtures.items(10_000)
            let realm = store.realm
            let writer = try store.writer()
            let items = Array(realm.objects(Item.self))
            let recorder = CallbackRecorder(name, observers: items.count)
            let tokens = items.enumerated().map { number, item in
                item.observe(\.value, options: []) { _, _ in recorder.add(number) }
            }
            defer { for token in tokens { token.invalidate() } }
            try store.settle()
            recorder.take([])
            var random = SplitMix64(state: 12)
            return try Sampling.steps(atMost: 101) {
                let positions = random.distinct(fixtures.size(changed), below: items.count)
                try writer.write { other in
                    let items = other.objects(Item.self)
                    for position in positions { items[position].value = random.value() }
                }
                let time = nanoseconds { _ = realm.refresh() }
                recorder.take(positions)
                return time
            }
        }
    }

    /// Measures each deletion of an object beside key-value observed objects with lists. The deleted objects are of the class of
    /// the lists' elements, one in each write.
    private static func deleteBesideObserved(
        _ fixtures: Fixtures, observed: Int, elements: Int
    ) throws -> Samples {
        let store = try fixtures.emptyStore()
        let realm = store.realm
        let (owners, length) = (fixtures.size(observed), observed == 1 ? fixtures.size(elements) : elements)
        let listed = min(owners * length, fixtures.size(100_000))
        let deletions = 1_200
        try realm.addItems(listed + deletions, name: ItemData.name)
        let items = Array(realm.objects(Item.self))
        try realm.write {
            for owner in 0..<owners {
                let start = owner * length % listed
                realm.create(Holder.self).items.append(objectsIn: items[start..<(start + length)])
            }
        }
        let holders = Array(realm.objects(Holder.self))
        let recorder = CallbackRecorder("kvo.delete", observers: owners)
        let tokens = holders.enumerated().map { number, holder in
            holder.observe(\.items, options: []) { _, _ in recorder.add(number) }
        }
        defer { for token in tokens { token.invalidate() } }
        try store.settle()
        recorder.take([])
        var rest = items[listed...]
        let samples = try Sampling.steps(atMost: 1_000) {
            let item = rest.removeLast()
            realm.beginWrite()
            let time = nanoseconds { realm.delete(item) }
            try realm.commitWrite()
            return time
        }
        expect(realm.objects(Item.self).count == listed + rest.count, "kvo.delete did not delete")
        recorder.take([])
        // Changes of the lists prove that they are observed.
        try realm.write { for holder in holders { holder.items.removeLast() } }
        recorder.take(holders.indices)
        return samples
    }
}

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
