import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000
    private static let reads = 5_000_000

    static var reading: [Row] {
        [
            held,
            Row("projection.read", .delivery, .ns, .timesFloor(3), floor: FloorReference(held)) { fixtures in
                let projection = ItemProjection(projecting: try heldItem(fixtures))
                expect(read(projection) == read(projection.rootObject), "projection.read read something else")
                return Sampling.perOperation(fixtures.size(reads)) {
                    for _ in 0..<$0 { keep(read(projection)) }
                }
            },
            Row("read.checked", .standUp, .ns, .timesFloor(4), floor: FloorReference(held)) { fixtures in
                let item = try heldItem(fixtures)
                expect(readChecked(item) == read(item), "read.checked read something else")
                return Sampling.perOperation(fixtures.size(reads)) {
                    for _ in 0..<$0 { keep(readChecked(item)) }
                }
            },
            Row("read.held.string", .standUp, .ns, .atMost(8)) { fixtures in
                let item = try heldItem(fixtures)
                return Sampling.perOperation(fixtures.size(reads)) {
                    for _ in 0..<$0 { keep(readName(item)) }
                }
            },
            Row("any.read", .delivery, .ns, .atMost(10)) { fixtures in
                let realm = try Realm(
                    configuration: .init(inMemoryIdentifier: "any.read", objectTypes: [AnyItem.self]))
                let item = AnyItem()
                item.value = .int(7)
                try realm.write { realm.add(item) }
                expect(readAny(item) == 7, "any.read read something else")
                return Sampling.perOperation(fixtures.size(reads)) { for _ in 0..<$0 { keep(readAny(item)) } }
            },
            Row("read.unmanaged", .standUp, .ns, .timesFloor(1.2), floor: FloorReference(.get)) { fixtures in
                let item = Item()
                item.value = 1
                return Sampling.perOperation(fixtures.size(reads)) { for _ in 0..<$0 { keep(read(item)) } }
            },
            Row("read.iterate", .standUp, .ns, .atMost(15), measure: iterate),
            Row("read.position/sequential", .standUp, .ns, .atMost(50)) { fixtures in
                try readPositions(fixtures, Array(0..<fixtures.size(million)))
            },
        ]
    }

    private static var held: Row {
        Row("read.held", .standUp, .ns, .timesFloor(2), floor: FloorReference(.get)) { fixtures in
            let item = try heldItem(fixtures)
            return Sampling.perOperation(fixtures.size(reads)) { for _ in 0..<$0 { keep(read(item)) } }
        }
    }

    static var readingRandomly: [Row] {
        [
            Row(
                "read.position/random", .standUp, .ns, .timesFloor(2.5), floor: FloorReference(.random)
            ) { fixtures in
                let count = fixtures.size(million)
                var random = SplitMix64(state: 1)
                return try readPositions(
                    fixtures, (0..<count).map { _ in random.below(count) }, repetitions: 1)
            },
            Row("read.key", .standUp, .ns, .timesFloor(3.5), floor: FloorReference(.random)) {
                try readKeys($0, .scattered)
            },
            Row("read.key/counted", .fast, .ns, .timesFloor(3.5), floor: FloorReference(.random)) {
                try readKeys($0, .counted)
            },
            Row("read.key/gaps", .fast, .ns, floor: FloorReference(.random)) {
                try readKeys($0, .gaps)
            },
        ]
    }

    static var readingKept: [Row] {
        [
            Row("read.iterate/kept", .observing, .ns, .atMost(120), measure: iterateKeeping),
            Row("read.position/kept", .observing, .ns, .atMost(140), measure: readPositionsKeeping),
        ]
    }

    private static func heldItem(_ fixtures: Fixtures) throws -> Item {
        let items = try fixtures.items(1_000).realm.objects(Item.self)
        return items[items.count / 2]
    }

    private static func iterate(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(million).realm
        return Sampling.perOperation(fixtures.size(million)) { count in
            var sum = 0
            var seen = 0
            for item in realm.objects(Item.self) {
                sum &+= item.value
                seen += 1
            }
            consume(sum)
            expect(seen == count, "read.iterate saw \(seen) items")
        }
    }

    private static func readPositions(
        _ fixtures: Fixtures, _ positions: [Int], repetitions: Int = 7
    ) throws -> Samples {
        let results = try fixtures.items(million).realm.objects(Item.self)
        return Sampling.perOperation(positions.count, repetitions: repetitions) { _ in
            var sum = 0
            for position in positions { sum &+= results[position].value }
            consume(sum)
        }
    }

    /// Measures `read.iterate` while all objects are retained until the end; releasing them is not timed.
    private static func iterateKeeping(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(million).realm
        return keeping(fixtures.size(million)) { kept in
            var sum = 0
            for item in realm.objects(Item.self) {
                sum &+= item.value
                kept.append(item)
            }
            return sum
        }
    }

    /// Measures `read.position/sequential` while all objects are retained until the end.
    private static func readPositionsKeeping(_ fixtures: Fixtures) throws -> Samples {
        let results = try fixtures.items(million).realm.objects(Item.self)
        let count = fixtures.size(million)
        return keeping(count) { kept in
            var sum = 0
            for position in 0..<count {
                let item = results[position]
                sum &+= item.value
                kept.append(item)
            }
            return sum
        }
    }

    /// Returns the time per object of a loop that retains all objects and returns the sum of their values.
    private static func keeping(_ count: Int, _ loop: (inout [Item]) -> Int) -> Samples {
        var kept: [Item] = []
        kept.reserveCapacity(count)
        return Sampling.repetitions {
            var sum = 0
            let time = nanoseconds { sum = loop(&kept) }
            expect(kept.count == count, "\(kept.count) objects were kept instead of \(count)")
            expect(kept.reduce(0) { $0 &+ $1.value } == sum, "objects that were kept read something else")
            kept.removeAll(keepingCapacity: true)
            return time / Double(count)
        }
    }

    private static func readKeys(_ fixtures: Fixtures, _ order: ItemData.KeyOrder) throws -> Samples {
        let realm = try fixtures.keyed(million, order).realm
        let count = fixtures.size(million)
        var random = SplitMix64(state: 2)
        let indices = (0..<count).map { _ in random.below(count) }
        let keys = indices.map(order.key)
        let expected = indices.reduce(0) { $0 &+ ItemData.value($1) }
        return Sampling.perOperation(count, repetitions: 1) { _ in
            var sum = 0
            for key in keys {
                guard let object = realm.object(ofType: Keyed.self, forPrimaryKey: key) else {
                    fatalError("kivo-bench: read.key found nothing for \(key)")
                }
                sum &+= object.value
            }
            expect(sum == expected, "read.key read something else")
        }
    }
}
