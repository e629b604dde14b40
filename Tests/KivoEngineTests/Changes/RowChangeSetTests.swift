import TestRandomness
import XCTest

@testable import KivoEngine

/// Change sets of several commits, compared with the difference between the models before and after.
final class RowChangeSetTests: XCTestCase {
    func testCompositionIsDifference() {
        let store = TestStore(TestRandom())
        for _ in TestEffort.rounds(200, within: 0.3) {
            store.transact(operations: store.random.below(25), cancelling: 10)
            while store.pins.count > 2 + store.random.below(10) { store.unpinOne() }
            for _ in 0..<3 {
                let pair = (0..<2).map { _ in store.pins[store.random.below(store.pins.count)] }
                check(pair.min { $0.number < $1.number }!, pair.max { $0.number < $1.number }!, in: store)
            }
        }
        store.destroy()
    }

    /// Backlinks go with the last that refers to their object and come again: unlike keys of objects they are used again.
    func testBacklinksThatCameAgainAndWentAreGone() {
        func change(inserted: Int? = nil, deleted: Int? = nil) -> RowChangeSet {
            var leaf = LeafChange(
                block: KeyBlock(number: 0), inserted: Bits256(), deleted: Bits256(), columns: [])
            if let inserted { leaf.inserted.insert(inserted) }
            if let deleted { leaf.deleted.insert(deleted) }
            var changes = RowChangeSet()
            changes.tables = [TableChange(table: 0, leaves: [])]
            changes.backlinks = [TableChange(table: 1, leaves: [leaf])]
            return changes
        }
        let (gone, there) = (change(deleted: 5), change(inserted: 5))
        XCTAssertEqual(RowChangeSet(composing: [gone, there, gone]).backlinks(1)?.state(of: 5), .deleted)
        XCTAssertEqual(RowChangeSet(composing: [there, gone]).backlinks(1)?.state(of: 5), .untouched)
        XCTAssertEqual(RowChangeSet(composing: [there, gone, there]).backlinks(1)?.state(of: 5), .inserted)
    }

    /// Composing from the left and from the right gives the same.
    func testCompositionIsAssociative() {
        let store = TestStore(TestRandom())
        let first = store.chain.head
        for _ in 0..<12 { store.transact(operations: 30, cancelling: 0) }
        checkCompositions(from: first, in: store)
        store.destroy()
    }

    /// However many change sets are composed at once, the outcome is that of adding one after the other.
    func testComposingManyIsAddingEach() {
        let store = TestStore(TestRandom())
        var sets: [RowChangeSet] = []
        let oldest = store.pins[0]
        for _ in TestEffort.rounds(150) {
            store.transact(operations: store.random.below(12), cancelling: 0)
            sets.append(store.lastChanges)
            guard let newest = store.pins.last, newest.number == store.chain.head else { continue }
            let composed = RowChangeSet(composing: sets)
            check(composed, oldest, newest, in: store)
            var added = RowChangeSet()
            for set in sets { added.append(set) }
            XCTAssertEqual(composed.sequences, added.sequences)
        }
        store.destroy()
    }

    /// Versions that each changed other objects and another list: n log n steps, not n².
    func testComposingManyCostsLittleMoreForEach() {
        func work(_ count: Int) -> Int {
            let sets = (0..<count).map { number -> RowChangeSet in
                var (modified, deleted) = (Bits256(), Bits256())
                modified.insert(7)
                deleted.insert(8)
                let leaf = LeafChange(
                    block: KeyBlock(number: number * 7 % count), inserted: Bits256(), deleted: deleted,
                    columns: [.init(column: 8, slots: modified)])
                var changes = RowChangeSet()
                changes.tables = [TableChange(table: TestCatalog.person, leaves: [leaf])]
                var list = SequenceChange(oldCount: 1)
                list.insert(at: 0)
                let owner = leaf.block.key(at: 7)
                changes.sequences[CollectionID(table: TestCatalog.person, column: 8, key: owner)] = list
                return changes
            }
            return RowChangeSet(composing: sets).work
        }
        let (few, many) = (work(500), work(4_000))
        XCTAssertLessThan(many, few * 12)
    }

    private func checkCompositions(from first: UInt64, in store: TestStore) {
        let (oldest, newest) = (store.pins[0], store.pins[store.pins.count - 1])
        for middle in store.pins {
            var composed = store.chain.changes(from: first, to: middle.number)
            composed.append(store.chain.changes(from: middle.number, to: newest.number))
            check(composed, oldest, newest, in: store)
            XCTAssertEqual(composed.sequences, store.chain.changes(from: first, to: newest.number).sequences)
        }
    }

    private func check(_ old: TestStore.Pin, _ new: TestStore.Pin, in store: TestStore) {
        let changes = store.chain.changes(from: old.number, to: new.number)
        XCTAssertFalse(old.number == new.number && !changes.isEmpty)
        check(changes, old, new, in: store)
    }

    private func check(
        _ changes: RowChangeSet, _ old: TestStore.Pin, _ new: TestStore.Pin, in store: TestStore
    ) {
        XCTAssertEqual(changes.tables.map { $0.table }, Set(changes.tables.map { $0.table }).sorted())
        var assigned: Set<CollectionID> = []
        for number in old.number..<new.number { assigned.formUnion(store.assignments[Int(number) - 1]) }
        assigned = assigned.filter {
            old.model.tables[$0.table][$0.key] != nil && new.model.tables[$0.table][$0.key] != nil
        }
        for table in TestCatalog.tables { checkTable(table, changes, old.model, new.model, assigned) }
        let sequences = assigned.filter { TestCatalog.spec($0).kind == .sequence }
        XCTAssertEqual(Set(changes.sequences.keys), sequences)
        for (id, change) in changes.sequences where sequences.contains(id) {
            check(change, old.model.elements(id), new.model.elements(id))
        }
    }

    private func checkTable(
        _ id: TableID, _ changes: RowChangeSet, _ old: StoreModel, _ new: StoreModel,
        _ assigned: Set<CollectionID>
    ) {
        let change = changes.table(id) ?? TableChange(table: id, leaves: [])
        XCTAssertEqual(change.leaves.map { $0.block }, Set(change.leaves.map { $0.block }).sorted())
        let (before, after) = (Set(old.keys(id)), Set(new.keys(id)))
        var columns: [ObjectKey: [Int]] = [:]
        for assignment in assigned where assignment.table == id {
            columns[assignment.key, default: []].append(assignment.column)
        }

        var (inserted, deleted, modified): ([ObjectKey], [ObjectKey], [ObjectKey]) = ([], [], [])
        change.forEachInserted { inserted.append($0) }
        change.forEachDeleted { deleted.append($0) }
        change.forEachModified { modified.append($0) }
        XCTAssertEqual(inserted, after.subtracting(before).sorted())
        XCTAssertEqual(deleted, before.subtracting(after).sorted())
        XCTAssertEqual(modified, columns.keys.sorted())

        for key in before.union(after) {
            XCTAssertEqual(change.modifiedColumns(of: key), columns[key]?.sorted() ?? [])
            let state: TableChange.State =
                !before.contains(key)
                ? .inserted : !after.contains(key) ? .deleted : columns[key] != nil ? .modified : .untouched
            XCTAssertEqual(change.state(of: key), state)
        }
        for column in TestCatalog.catalog.tables[id].columns.indices {
            var modified: [ObjectKey] = []
            change.forEachModified(in: [column]) { modified.append($0) }
            XCTAssertEqual(modified, columns.filter { $0.value.contains(column) }.keys.sorted())
        }
    }

    /// Applying the change to the old elements gives the new ones.
    private func check(_ change: SequenceChange, _ old: [Cell], _ new: [Cell]) {
        XCTAssertEqual(change.oldCount, old.count)
        guard change.newCount == new.count else {
            return XCTFail("a list has another length than its change")
        }
        let indexes = change.resolve()
        var elements = old
        for index in indexes.deletions.reversed() { elements.remove(at: index) }
        for index in indexes.insertions { elements.insert(new[index], at: index) }
        for index in indexes.modifications { elements[index] = new[index] }
        XCTAssertEqual(elements, new)
        for move in indexes.moves where old[move.from] != new[move.to] {
            // A moved element that was also assigned is only told as moved.
            XCTAssertFalse(change.runs.allSatisfy { !$0.isReplaced }, "another element was moved")
        }
    }
}
