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
