import TestRandomness
import XCTest

@testable import KivoEngine

/// The differences that comparing two versions finds, compared with the difference between the models of both.
final class SnapshotDifferenceTests: XCTestCase {
    private let same = Dictionary(uniqueKeysWithValues: TestCatalog.tables.map { ($0, $0) })

    func testDifferencesOfRandomVersions() {
        let store = TestStore(TestRandom())
        for _ in TestEffort.rounds(150, within: 0.3) {
            store.transact(operations: store.random.below(25), cancelling: 10)
            while store.pins.count > 2 + store.random.below(10) { store.unpinOne() }
            for _ in 0..<3 {
                let (old, new) = (
                    store.pins[store.random.below(store.pins.count)],
                    store.pins[store.random.below(store.pins.count)]
                )
                // Also back, which is nothing else to a comparison.
                check(old, new)
            }
        }
        store.destroy()
    }

    /// Two stores with the same contents share no memory that would allow the comparison to skip equal parts.
    func testDifferencesOfVersionsThatShareNothing() {
        for round in TestEffort.rounds(20, within: 0.3) {
            let (a, b) = (TestStore(TestRandom("\(round)")), TestStore(TestRandom("\(round)")))
            for store in [a, b] {
                for _ in 0..<15 { store.transact(operations: 20, cancelling: 0) }
                store.pinHead()
            }
            XCTAssertTrue(difference(a.pins.last!, b.pins.last!).isEmpty)
            b.transact(operations: 40, cancelling: 0)
            b.pinHead()
            check(a.pins.last!, b.pins.last!)
            check(b.pins.last!, a.pins.last!)
            a.destroy()
            b.destroy()
        }
    }

    func testAVersionDoesNotDifferFromItself() {
        let store = TestStore(TestRandom())
        for _ in 0..<20 { store.transact(operations: 20, cancelling: 0) }
        let changes = difference(store.pins.last!, store.pins.last!)
        XCTAssertTrue(changes.isEmpty)
        store.destroy()
    }

    /// The elements of a list that was edited here and there stay what they are.
    func testEditsOfAList() {
        let store = TestStore(TestRandom())
        var person: ObjectKey = 0
        let words = (0..<200).map { Cell.string("word \($0)") }
        func edit(_ body: (WriteTransaction, CollectionID) -> Void) -> [SequenceChange.Run] {
            store.pinHead()
            let before = store.pins.last!
            store.transact { edit in
                let id = CollectionID(
                    table: TestCatalog.person, column: TestCatalog.Person.notes, key: person)
                body(edit.transaction, id)
                var cells: [Cell] = []
                edit.transaction.sequence(id).forEach { cells.append($0) }
                edit.model.edit(id) { $0 = cells }
            }
            store.pinHead()
            return difference(before, store.pins.last!).sequences.first?.value.runs ?? []
        }
        store.transact { edit in person = edit.insertPerson(age: .null) }
        XCTAssertEqual(
            edit { $0.insertElements(words, at: 0, into: $1) }, [.init(origin: -1, count: 200)])
        XCTAssertEqual(
            edit { $0.removeElements(10..<12, from: $1) },
            [.init(origin: 0, count: 10), .init(origin: 12, count: 188)])
        XCTAssertEqual(
            edit { $0.replaceElement(.string("new"), at: 5, in: $1) },
            [
                .init(origin: 0, count: 5), .init(origin: 5, count: 1, isReplaced: true),
                .init(origin: 6, count: 192),
            ])
        XCTAssertEqual(
            edit { $0.moveElement(from: 100, to: 0, in: $1) },
            [
                .init(origin: 100, count: 1, moveOrder: 1), .init(origin: 0, count: 100),
                .init(origin: 101, count: 97),
            ])
        XCTAssertEqual(edit { $0.removeAllElements(from: $1) }, [])
        store.destroy()
    }

    // MARK: Checking

    private func difference(_ old: TestStore.Pin, _ new: TestStore.Pin) -> RowChangeSet {
        SnapshotDifference.changes(
            from: old.snapshot, to: new.snapshot, TestCatalog.catalog, numberedBefore: same)
    }

    private func check(_ old: TestStore.Pin, _ new: TestStore.Pin, line: UInt = #line) {
        let changes = difference(old, new)
        XCTAssert(changes.backlinks.isEmpty)
        XCTAssertEqual(changes.tables.map { $0.table }, changes.tables.map { $0.table }.sorted(), line: line)
        var sequences = 0
        for table in TestCatalog.tables {
            let (before, after) = (old.model.tables[table], new.model.tables[table])
            let change = changes.table(table)
            var (inserted, deleted): ([ObjectKey], [ObjectKey]) = ([], [])
            change?.forEachInserted { inserted.append($0) }
            change?.forEachDeleted { deleted.append($0) }
            XCTAssertEqual(inserted, after.keys.filter { before[$0] == nil }.sorted(), line: line)
            XCTAssertEqual(deleted, before.keys.filter { after[$0] == nil }.sorted(), line: line)
            for (key, object) in after {
                guard let earlier = before[key] else { continue }
                let columns = TestCatalog.catalog.tables[table].columns
                // The values of a map follow its keys: those of other keys are others, also if they are equal.
                func haveOtherKeys(_ column: Int) -> Bool {
                    guard columns[column].order == .values else { return false }
                    let keys = columns.firstIndex { $0.name + ".values" == columns[column].name }!
                    return earlier.elements[keys] != object.elements[keys]
                }
                let modified = columns.indices.filter {
                    earlier.cells[$0] != object.cells[$0] || earlier.elements[$0] != object.elements[$0]
                        || haveOtherKeys($0)
                }
                XCTAssertEqual(change?.modifiedColumns(of: key) ?? [], modified, line: line)
                for column in columns.indices where columns[column].kind == .sequence {
                    let id = CollectionID(table: table, column: column, key: key)
                    guard let sequence = changes.sequences[id] else {
                        XCTAssertEqual(earlier.elements[column], object.elements[column], line: line)
                        continue
                    }
                    sequences += 1
                    if !haveOtherKeys(column) {
                        XCTAssertNotEqual(
                            earlier.elements[column], object.elements[column],
                            "a list that is the same changed", line: line)
                    }
                    check(sequence, from: earlier.elements[column], to: object.elements[column], line: line)
                    if columns[column].order == .sorted, let map = TestCatalog.map(id) {
                        checkMap(changes, map, earlier, object, line: line)
                    }
                }
            }
        }
        XCTAssertEqual(changes.sequences.count, sequences, line: line)
    }

    /// Applies a change of a list by the rules that observers use.
    private func check(_ change: SequenceChange, from old: [Cell], to new: [Cell], line: UInt) {
        change.checkInvariants()
        let resolved = change.resolve()
        var cells = old
        for position in resolved.deletions.reversed() { cells.remove(at: position) }
        for position in resolved.insertions { cells.insert(new[position], at: position) }
        for position in resolved.modifications {
            XCTAssertNotEqual(cells[position], new[position], "an element that is the same was assigned")
            cells[position] = new[position]
        }
        XCTAssertEqual(cells, new, line: line)
    }

    /// The values of a map go with its keys: those of other keys did not move.
    private func checkMap(
        _ changes: RowChangeSet, _ map: (keys: CollectionID, values: CollectionID),
        _ old: StoreModel.Object, _ new: StoreModel.Object, line: UInt
    ) {
        guard let keys = changes.sequences[map.keys] else { return }
        guard let values = changes.sequences[map.values] else {
            return XCTFail("keys came or went without their values", line: line)
        }
        XCTAssertEqual(
            keys.runs.flatMap { run in (0..<run.count).map { run.isNew ? -1 : run.origin + $0 } },
            values.runs.flatMap { run in (0..<run.count).map { run.isNew ? -1 : run.origin + $0 } },
            line: line)
        var position = 0
        for run in values.runs {
            for offset in 0..<run.count where !run.isNew {
                let isSame =
                    old.elements[map.values.column][run.origin + offset]
                    == new.elements[map.values.column][position + offset]
                XCTAssertEqual(run.isReplaced, !isSame, line: line)
            }
            position += run.count
        }
    }
}
