import TestRandomness
import XCTest

@testable import KivoEngine

/// Deletions of objects that are in one list, one set and one map, compared with arrays, and what they cost.
final class ListedDeletionTests: XCTestCase {
    private static let item = 0
    private static let holder = 1
    private static let list = 0
    private static let set = 1
    private static let mapKeys = 2
    private static let map = 3

    private static let catalog: Catalog = {
        var catalog = Catalog()
        precondition(catalog.declare("Item", isEmbedded: false) == item)
        precondition(catalog.declare("Holder", isEmbedded: false) == holder)
        catalog.define(item, columns: [ColumnSpec(name: "value", kind: .word)])
        catalog.define(
            holder,
            columns: [
                ColumnSpec(name: "list", kind: .sequence, element: .link, target: item),
                ColumnSpec(name: "set", kind: .sequence, element: .link, order: .sorted, target: item),
                ColumnSpec(name: "map keys", kind: .sequence, element: .word, order: .sorted),
                ColumnSpec(name: "map", kind: .sequence, element: .link, order: .values, target: item),
            ])
        return catalog
    }()

    /// A transaction with a holder of so many items: each is in the list twice, once in the set and in the map.
    private final class Listed {
        let transaction: WriteTransaction
        let owner: ObjectKey
        let items: [ObjectKey]
        var expected: [[ObjectKey]]

        init(_ transaction: WriteTransaction, _ count: Int) {
            self.transaction = transaction
            owner = transaction.insert(into: holder)
            items = (0..<count).map { _ in transaction.insert(into: item) }
            expected = [items + items, items, [], items]
            for column in [list, ListedDeletionTests.set, map] {
                transaction.insertElements(expected[column].map { .link($0) }, at: 0, into: id(column))
            }
            transaction.insertElements(count, at: 0, into: id(mapKeys)) { .word(UInt64($0)) }
        }

        func id(_ column: Int) -> CollectionID { CollectionID(table: holder, column: column, key: owner) }

        func delete(_ keys: [ObjectKey]) {
            transaction.delete(keys, from: item)
            let keys = Set(keys)
            for column in [list, ListedDeletionTests.set] { expected[column].removeAll(where: keys.contains) }
            expected[map] = expected[map].map { keys.contains($0) ? 0 : $0 }
        }

        func check(line: UInt = #line) {
            for column in [list, ListedDeletionTests.set, map] {
                let sequence = transaction.sequence(id(column))
                sequence.checkInvariants()
                XCTAssertEqual(sequence.links, expected[column], "column \(column)", line: line)
            }
        }
    }

    private func transact(_ count: Int, _ body: (Listed) -> Void) {
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
        let transaction = WriteTransaction(
            id: 1, base: chain.headSnapshot, catalog: Self.catalog, heap: heap, reader: reader)
        let listed = Listed(transaction, count)
        body(listed)
        listed.check()
        transaction.snapshot.checkInvariants(Self.catalog)
        _ = chain.append(transaction.commit(transaction.changeSet()))
        chain.headSnapshot.checkInvariants(Self.catalog)
        chain.destroy(Self.catalog)
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    /// One by one in any order: twice looked through, then a few steps for each deletion.
    func testDeletingOneByOneCostsTheSameForEach() {
        var random = TestRandom()
        for count in TestEffort.current == .standard ? [1_500] : [1_500, 6_000] {
            transact(count) { listed in
                let work = listed.transaction.memory.work
                for key in listed.items.shuffled(using: &random) { listed.delete([key]) }
                XCTAssertLessThan(listed.transaction.memory.work - work, count * 40)
            }
        }
    }

    func testDeletingManyAtOnceLooksThroughAListOnce() {
        var random = TestRandom()
        for count in TestEffort.current == .standard ? [1_500] : [1_500, 6_000] {
            transact(count) { listed in
                let work = listed.transaction.memory.work
                listed.delete(listed.items.shuffled(using: &random).filter { $0 % 3 > 0 })
                listed.check()
                XCTAssertLessThan(listed.transaction.memory.work - work, count * 30)
            }
        }
    }

    /// Few at once, again and again, with other edits of the list in between.
    func testOtherEditsDoNotMakeItSearchAgain() {
        var random = TestRandom()
        for count in TestEffort.current == .standard ? [1_500] : [1_500, 6_000] {
            transact(count) { listed in
                let (transaction, list) = (listed.transaction, listed.id(Self.list))
                let work = transaction.memory.work
                var remaining = listed.items.shuffled(using: &random)
                for step in 0..<count / 4 {
                    listed.delete(Array(remaining.suffix(1 + step % 3)))
                    remaining.removeLast(1 + step % 3)
                    let end = listed.expected[Self.list].count
                    let (a, b) = (random.below(end), random.below(end))
                    let other = remaining[random.below(remaining.count)]
                    switch random.below(8) {
                    case 0:
                        let new = transaction.insert(into: Self.item)
                        transaction.insertElement(.link(new), at: a, into: list)
                        listed.expected[Self.list].insert(new, at: a)
                        remaining.append(new)
                    case 1:
                        transaction.moveElement(from: a, to: b, in: list)
                        let moved = listed.expected[Self.list].remove(at: a)
                        listed.expected[Self.list].insert(moved, at: b)
                    case 2:
                        transaction.swapElements(a, b, in: list)
                        listed.expected[Self.list].swapAt(a, b)
                    case 3:
                        transaction.replaceElement(.link(other), at: a, in: list)
                        listed.expected[Self.list][a] = other
                    case 4:
                        transaction.removeElement(at: a, from: list)
                        listed.expected[Self.list].remove(at: a)
                    case 5:
                        transaction.insertElements([.link(other), .link(other)], at: b, into: list)
                        listed.expected[Self.list].insert(contentsOf: [other, other], at: b)
                    case 6:
                        let range = a..<min(a + 3, end)
                        transaction.removeElements(range, from: list)
                        listed.expected[Self.list].removeSubrange(range)
                    default: break
                    }
                }
                XCTAssertLessThan(transaction.memory.work - work, count * 50)
            }
        }
    }

    /// An owner that goes along with what it holds has its list left alone.
    func testOwnersThatGoAlong() {
        transact(1_000) { listed in
            let work = listed.transaction.memory.work
            let owners = (0..<10).map { _ in listed.transaction.insert(into: Self.holder) }
            for owner in owners {
                listed.transaction.insertElements(
                    listed.items.map { .link($0) }, at: 0,
                    into: CollectionID(table: Self.holder, column: Self.list, key: owner))
            }
            listed.transaction.delete(owners, from: Self.holder)
            listed.delete(listed.items)
            XCTAssertLessThan(listed.transaction.memory.work - work, 100_000)
        }
    }
}
