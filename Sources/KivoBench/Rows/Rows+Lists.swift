import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000
    private static let objects = 100_000

    static var lists: [Row] {
        [
            insertIntoObserved("list.insert", count: million, .atMost(7)),
            modifyElementOfObserved("list.object", count: objects, .atMost(10)),
            Row(
                "list.bulk/append", .standUp, .ms, .atMost(30),
                floor: FloorReference(.array) { $0.size(million) }
            ) { fixtures in
                try bulk(fixtures, startingWith: 0) { numbers in
                    for number in 0..<fixtures.size(million) { numbers.append(number) }
                }
            },
            Row("list.bulk/insertFront", .standUp, .ms, .atMost(5)) { fixtures in
                try bulk(fixtures, startingWith: fixtures.size(100_000)) { numbers in
                    for number in 0..<fixtures.size(10_000) { numbers.insert(number, at: 0) }
                }
            },
            Row("list.bulk/removeFront", .standUp, .ms, .atMost(5)) { fixtures in
                try bulk(fixtures, startingWith: fixtures.size(100_000)) { numbers in
                    for _ in 0..<fixtures.size(10_000) { numbers.remove(at: 0) }
                }
            },
            Row(
                "list.append/all", .sound, .ms, .atMost(25),
                floor: FloorReference(.array) { $0.size(million) }
            ) { fixtures in
                let added = (0..<fixtures.size(million)).map { ItemData.value($0) }
                return try bulk(fixtures, startingWith: 0) { $0.append(objectsIn: added) }
            },
            Row("list.move/far", .sound, .us, .atMost(3)) { try moveFar($0) },
        ]
    }

    /// Returns a row that measures the refresh after another realm inserts a number in the middle of a list.
    static func insertIntoObserved(_ name: String, count: Int, _ target: Target? = nil) -> Row {
        Row(name, .queries, .us, target) { fixtures in
            let store = try fixtures.numberList(count)
            let realm = store.realm
            let writer = try store.writer()
            let middle = fixtures.size(count) / 2
            let recorder = CollectionRecorder(name)
            let token = realm.objects(Holder.self)[0].numbers.observe {
                (change: RealmCollectionChange<List<Int>>) in recorder.record(change)
            }
            defer { token.invalidate() }
            try store.settle()
            recorder.takeInitial()
            return try Sampling.steps(atMost: 1_001) {
                try writer.write { $0.objects(Holder.self)[0].numbers.insert(-1, at: middle) }
                let time = nanoseconds { _ = realm.refresh() }
                recorder.take(.indices(insertions: [middle]))
                return time
            }
        }
    }

    /// Returns a row that measures the refresh after another realm modifies an element of a list of objects.
    static func modifyElementOfObserved(_ name: String, count: Int, _ target: Target? = nil) -> Row {
        Row(name, .queries, .us, target) { fixtures in
            let store = try fixtures.objectList(count)
            let realm = store.realm
            let writer = try store.writer()
            let recorder = CollectionRecorder(name)
            let token = realm.objects(Holder.self)[0].items.observe {
                (change: RealmCollectionChange<List<Item>>) in recorder.record(change)
            }
            defer { token.invalidate() }
            try store.settle()
            recorder.takeInitial()
            var random = SplitMix64(state: 11)
            return try Sampling.steps(atMost: 1_001) {
                let position = random.below(fixtures.size(count))
                try writer.write { $0.objects(Holder.self)[0].items[position].value = random.value() }
                let time = nanoseconds { _ = realm.refresh() }
                recorder.take(.indices(modifications: [position]))
                return time
            }
        }
    }

    /// Measures each move over a random distance in a list without observers, all in one write.
    private static func moveFar(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(million)
        let realm = try fixtures.emptyStore().realm
        let numbers = try realm.write { realm.create(Holder.self) }.numbers
        try realm.write { numbers.append(objectsIn: 0..<count) }
        var random = SplitMix64(state: 12)
        return try realm.write {
            Sampling.steps(atMost: 5_000) {
                let (source, target) = (random.below(count), random.below(count))
                let moved = numbers[source]
                let time = nanoseconds { numbers.move(from: source, to: target) }
                expect(
                    numbers.count == count && numbers[target] == moved, "list.move/far lost an element")
                return time
            }
        }
    }

    /// Measures many edits of a list without observers in one write, from its beginning through the commit.
    private static func bulk(
        _ fixtures: Fixtures, startingWith count: Int, _ edit: (List<Int>) -> Void
    ) throws -> Samples {
        let realm = try fixtures.emptyStore().realm
        let holder = try realm.write { realm.create(Holder.self) }
        return try Sampling.repetitions {
            let numbers = holder.numbers
            try realm.write {
                numbers.removeAll()
                numbers.append(objectsIn: 0..<count)
            }
            let time = try nanoseconds { try realm.write { edit(numbers) } }
            expect(numbers.count != count, "list.bulk did nothing")
            return time
        }
    }
}
