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
            Row("kvo.ten", .kvo, .ns, .atMost(400), floor: FloorReference(.set)) {
                observedSets($0, observers: 10)
            },
            Row("kvo.values", .kvo, .ns, .atMost(100), floor: FloorReference(.set), measure: setsWithValues),
            Row("kvo.register", .kvo, .ns, .atMost(400), measure: register),
            Row("kvo.list", .kvo, .ns, .atMost(250), measure: appendToObserved),
            refresh("kvo.refresh/all", changed: 10_000, .atMost(3)),
            refresh("kvo.refresh/one", changed: 1, .atMost(0.01)),
        ]
    }

    /// Sets of a property of an unmanaged object, with observers that asked for no values.
    private static func observedSets(_ fixtures: Fixtures, observers: Int) -> [Double] {
        let item = Item()
        let tally = Tally()
        let tokens = (0..<observers).map { _ in
            item.observe(\.value, options: []) { _, _ in tally.add() }
        }
        defer { for token in tokens { token.invalidate() } }
        return Sampling.perOperation(fixtures.size(sets)) {
            for value in 0..<$0 {
                write(item, value)
                tally.take(observers, "kvo.one or kvo.ten")
            }
        }
    }

    private static func setsWithValues(_ fixtures: Fixtures) -> [Double] {
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

    /// Adding an observer and removing it again.
    private static func register(_ fixtures: Fixtures) -> [Double] {
        let item = Item()
        let tally = Tally()
        let samples = Sampling.perOperation(fixtures.size(sets)) {
            for _ in 0..<$0 {
                let token = item.observe(\.value, options: []) { _, _ in tally.add() }
                token.invalidate()
            }
        }
        item.value = 1
        tally.take(0, "kvo.register")
        return samples
    }

    /// Appends to a list of an unmanaged object, whose observer is told kind and index.
    private static func appendToObserved(_ fixtures: Fixtures) -> [Double] {
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

    /// 10k observed objects, some of them changed by another realm: the refresh alone.
    private static func refresh(_ name: String, changed: Int, _ target: Target) -> Row {
        Row(name, .kvo, .ms, target) { fixtures in
            let store = try fixtures.items(10_000)
            let realm = store.realm
            let writer = try store.writer()
            let items = Array(realm.objects(Item.self))
            let tally = Tally()
            let tokens = items.map { $0.observe(\.value, options: []) { _, _ in tally.add() } }
            defer { for token in tokens { token.invalidate() } }
            try store.settle()
            tally.take(0, name)
            var random = SplitMix64(state: 12)
            return try Sampling.events(atMost: 101) {
                let positions = random.distinct(fixtures.size(changed), below: items.count)
                try writer.write { other in
                    let items = other.objects(Item.self)
                    for position in positions { items[position].value = random.value() }
                }
                let time = nanoseconds { _ = realm.refresh() }
                tally.take(positions.count, name)
                return time
            }
        }
    }
}
