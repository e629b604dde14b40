import Foundation
import Kivo
import XCTest

class StreamFuzzItem: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var value = 0
}

class StreamFuzzHolder: Object {
    @Persisted var items: List<StreamFuzzItem>
}

/// Random commits here and elsewhere against consumers that ask now and then: every change turns what the consumer had into
/// what is there, and every move is of one element.
final class ChangeStreamFuzzTests: RealmTestCase {
    /// A consumer: the changes that it received so far, and the current elements.
    @MainActor private struct Consumer {
        var elements: () -> [StreamFuzzItem]
        var next: () async -> Told
        var ids: [Int] = []
        var values: [Int] = []
    }

    private struct Told {
        var isInitial = false
        var deletions: [Int] = []
        var insertions: [Int] = []
        var modifications: [Int] = []
        var currentModifications: [Int] = []
        var moves: [CollectionMove]
    }

    @MainActor private func consumer<C: RealmCollection>(
        _ collection: C, _ stream: MovingChangeStream<C>
    ) -> Consumer where C.Element == StreamFuzzItem {
        var iterator = stream.makeAsyncIterator()
        return Consumer(
            elements: { Array(collection) },
            next: {
                switch await iterator.next(isolation: MainActor.shared) {
                case (let change, let moves)?:
                    guard case .update(_, let deletions, let insertions, let modifications) = change else {
                        return Told(isInitial: true, moves: moves)
                    }
                    return Told(
                        deletions: deletions, insertions: insertions, modifications: modifications,
                        currentModifications: change.currentModifications, moves: moves)
                case nil: return Told(moves: [])
                }
            })
    }

    @MainActor func testChangesAddUpForConsumersThatAskNowAndThen() async throws {
        let seed = RandomSource.seed()
        print("\(name): seed \(seed)")
        var random = RandomSource(seed: seed)
        let realm = try openRealm()
        let holder = StreamFuzzHolder()
        try realm.write {
            realm.add(holder)
            for id in 0..<20 {
                let item = realm.create(
                    StreamFuzzItem.self, value: ["id": id, "value": random.below(50)])
                holder.items.append(item)
            }
        }
        let items = realm.objects(StreamFuzzItem.self)
        let sorted = items.sorted(byKeyPath: "value")
        let low = items.where { $0.value < 25 }
        let listed = holder.items.where { $0.value > 10 }.sorted(byKeyPath: "value")
        var consumers = [
            consumer(items, items.changes.withMoves()), consumer(sorted, sorted.changes.withMoves()),
            consumer(low, low.changes.withMoves()), consumer(listed, listed.changes.withMoves()),
            consumer(holder.items, holder.items.changes.withMoves()),
        ]
        for step in 0..<300 {
            let edits = (0...random.below(4)).map { _ in
                (random.below(5), random.below(30), random.below(50))
            }
            if random.below(3) == 0 {
                try writeElsewhere { realm in for edit in edits { Self.carryOut(edit, in: realm) } }
                if random.below(2) == 0 { realm.refresh() }
            } else {
                try realm.write { for edit in edits { Self.carryOut(edit, in: realm) } }
            }
            for index in consumers.indices where random.below(3) == 0 {
                // A change that every consumer receives, so that none waits for ever.
                try realm.write {
                    let value = 11 + random.below(10)
                    if let item = consumers[index].elements().first {
                        item.value = value
                    } else {
                        let id = (items.max(ofProperty: "id") ?? 0) + 1
                        holder.items.append(
                            realm.create(StreamFuzzItem.self, value: ["id": id, "value": value]))
                    }
                }
                let told = await consumers[index].next()
                check(told, &consumers[index], "seed \(seed), step \(step), consumer \(index)")
            }
        }
    }

    private static func carryOut(_ edit: (kind: Int, place: Int, value: Int), in realm: Realm) {
        let items = realm.objects(StreamFuzzItem.self)
        let list = realm.objects(StreamFuzzHolder.self)[0].items
        switch edit.kind {
        case 0:
            let id = (items.max(ofProperty: "id") ?? 0) + 1
            var random = RandomSource(seed: UInt64(edit.place))
            let values = ["id": random.loose(id), "value": random.loose(edit.value)]
            let item = realm.create(StreamFuzzItem.self, value: random.looseObject(values))
            list.insert(item, at: edit.place % (list.count + 1))
        case 1 where items.count > 5: realm.delete(items[edit.place % items.count])
        case 2 where list.count > 1: list.move(from: edit.place % list.count, to: edit.value % list.count)
        default:
            var random = RandomSource(seed: UInt64(edit.place))
            if !items.isEmpty {
                items[edit.place % items.count].assign(random.loose(edit.value), "value", &random)
            }
        }
    }

    @MainActor private func check(_ told: Told, _ consumer: inout Consumer, _ message: String) {
        let now = consumer.elements()
        let before = consumer.ids
        defer { (consumer.ids, consumer.values) = (now.map(\.id), now.map(\.value)) }
        if told.isInitial { return }
        for move in told.moves {
            XCTAssertTrue(told.deletions.contains(move.from) && told.insertions.contains(move.to), message)
            XCTAssertEqual(before[move.from], now[move.to].id, message)
        }
        XCTAssertEqual(Set(told.moves.map(\.from)).count, told.moves.count, message)
        for position in told.modifications { consumer.values[position] = Int.min }
        // Every element that left and came is one that moved, unless it is in a list, where operations decide.
        for position in told.deletions.reversed() {
            consumer.ids.remove(at: position)
            consumer.values.remove(at: position)
        }
        for position in told.insertions {
            consumer.ids.insert(now[position].id, at: position)
            consumer.values.insert(now[position].value, at: position)
        }
        for position in told.currentModifications {
            XCTAssertEqual(consumer.values[position], Int.min, message)
            consumer.values[position] = now[position].value
        }
        XCTAssertEqual(consumer.ids, now.map(\.id), message)
        XCTAssertEqual(consumer.values, now.map(\.value), message)
    }

    // MARK: Moves

    @MainActor func testSortedResultsTellWhichElementMovedWhere() async throws {
        let realm = try openRealm()
        try realm.write {
            for id in 0..<5 { realm.create(StreamFuzzItem.self, value: ["id": id, "value": id * 10]) }
        }
        let sorted = realm.objects(StreamFuzzItem.self).sorted(byKeyPath: "value")
        var iterator = sorted.changes.withMoves().makeAsyncIterator()
        _ = await iterator.next(isolation: MainActor.shared)
        try realm.write {
            sorted[0].value = 35
            realm.delete(sorted.where { $0.id == 1 })
            realm.create(StreamFuzzItem.self, value: ["id": 9, "value": 5])
        }
        let told = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(told.map { text($0.change) }, "-[0, 1] +[0, 3] ~[]")
        XCTAssertEqual(told?.moves, [CollectionMove(from: 0, to: 3)])
    }

    @MainActor func testListsTellMovesAndPlainReplacementsNot() async throws {
        let realm = try openRealm()
        let holder = StreamFuzzHolder()
        try realm.write {
            realm.add(holder)
            for id in 0..<5 { holder.items.append(realm.create(StreamFuzzItem.self, value: ["id": id])) }
        }
        var iterator = holder.items.changes.withMoves().makeAsyncIterator()
        _ = await iterator.next(isolation: MainActor.shared)
        try realm.write { holder.items.move(from: 4, to: 1) }
        var told = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(told.map { text($0.change) }, "-[4] +[1] ~[]")
        XCTAssertEqual(told?.moves, [CollectionMove(from: 4, to: 1)])
        try realm.write {
            let last = holder.items[4]
            holder.items.remove(at: 4)
            holder.items.insert(last, at: 0)
        }
        told = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(told?.moves, [])
    }
}
