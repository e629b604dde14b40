import TestRandomness
import XCTest

@testable import KivoEngine

/// Views of random queries with sections by random properties, compared with arrays that are grouped again.
final class SectionedViewRandomTests: XCTestCase {
    /// A view with sections, the contents that its observer displays, and their version.
    private final class Follower {
        private let query: ViewQuery
        private let property: ViewModel.Property
        private let numbers = SectionNumbers()
        private let view: SectionedView
        private var version: UInt64
        private var snapshot: Snapshot
        private var shown: [[Cell]]
        /// The contents that an observer of composed changes displays.
        private var shownLate: [[Cell]]
        /// The composition of the changes that this observer has not received yet.
        private var pending: SectionedChange?

        init(_ store: ViewStore) {
            let query = ViewQuery(store)
            let properties: [ViewModel.Property] =
                query.isOfValues ? [.number, .tens] : [.number, .tens, .weight, .foldedName, .parentNumber]
            let property = properties[store.random.below(properties.count)]
            (version, snapshot) = store.pinHead()
            let numbers = numbers
            view = SectionedView(
                query.query, snapshot, ViewModel.catalog, Dependencies(query.query, ViewModel.catalog),
                sectionDependencies: query.isOfValues
                    ? nil : Dependencies(links: 1, from: ViewModel.itemTable, ViewModel.catalog)
            ) { key in
                let element =
                    query.isOfValues
                    ? ViewModel.Element(key: key, value: store.model.values[Int(key)])
                    : store.model.element(key)
                return numbers.number(store.model.sortValue(property, of: element))
            }
            (self.query, self.property) = (query, property)
            shown = Follower.sections(query, property, store.model).map { $0.rows.map(query.shown) }
            shownLate = shown
        }

        func end(_ store: ViewStore) { store.unpin(version) }

        private static func sections(
            _ query: ViewQuery, _ property: ViewModel.Property, _ model: ViewModel
        ) -> [(key: ViewModel.SortValue, rows: [ViewModel.Element])] {
            var sections: [(key: ViewModel.SortValue, rows: [ViewModel.Element])] = []
            for element in query.result(model) {
                let key = model.sortValue(property, of: element)
                if let section = sections.firstIndex(where: { $0.key == key }) {
                    sections[section].rows.append(element)
                } else {
                    sections.append((key, [element]))
                }
            }
            return sections
        }

        func update(_ store: ViewStore) {
            let (oldVersion, old) = (version, snapshot)
            (version, snapshot) = store.pinHead()
            let traversals = ChangeTraversals(
                store.chain.changes(from: oldVersion, to: version), snapshot, ViewModel.catalog)
            if store.random.chance(50) { traversals.smallestBudget = 1 }
            let numbersBefore = (0..<view.sectionCount).map(view.number)
            let (change, emptied) = view.update(traversals, old: old)
            let expected = Follower.sections(query, property, store.model)
            XCTAssertEqual((0..<view.sectionCount).map(view.number), expected.map { numbers.number($0.key) })
            view.checkInvariants(snapshot, ViewModel.catalog)
            check(expected.map { $0.rows.map(\.key) })
            let new = expected.map { $0.rows.map(query.shown) }
            let numbersAfter = (0..<view.sectionCount).map(view.number)
            for (from, to) in change.intactMoves {
                XCTAssertEqual(numbersBefore[from], numbersAfter[to])
                XCTAssertEqual(shown[from], new[to], "a section that moved with other rows")
            }
            shown = Follower.applied(change, to: shown, new)
            XCTAssertEqual(shown, new, "the change does not lead to the sections")
            numbers.release(emptied)
            pending = pending?.followed(by: change) ?? change
            if store.random.chance(40), let composed = pending {
                for (from, to) in composed.intactMoves {
                    XCTAssert(composed.sectionDeletions.contains(from))
                    XCTAssert(composed.sectionInsertions.contains(to))
                    XCTAssertEqual(shownLate[from], new[to], "a section that moved with other rows")
                }
                shownLate = Follower.applied(composed, to: shownLate, new)
                XCTAssertEqual(shownLate, new, "the composed change does not lead to the sections")
                pending = nil
            }
            store.unpin(oldVersion)
        }

        /// Checks rows and positions against the expected keys.
        private func check(_ sections: [[ObjectKey]]) {
            var positions: [ObjectKey: Set<SectionedChange.Position>] = [:]
            for (section, keys) in sections.enumerated() {
                let number = view.number(at: section)
                XCTAssertEqual(view.section(ofNumber: number, snapshot), section)
                XCTAssertEqual(view.count(ofNumber: number), keys.count)
                for (row, key) in keys.enumerated() {
                    XCTAssertEqual(view.key(ofNumber: number, row: row), key)
                    positions[key, default: []].insert(SectionedChange.Position(section: section, row: row))
                }
            }
            if query.isOfValues { return }
            for (key, expected) in positions {
                var found: Set<SectionedChange.Position> = []
                view.forEachPosition(of: key, snapshot) { found.insert($0) }
                XCTAssertEqual(found, expected)
                XCTAssert(view.contains(key, in: nil))
            }
        }

        /// Returns what is displayed after a change: rows are removed from the last one on, then sections; sections are inserted,
        /// then rows; modified rows are replaced.
        private static func applied(
            _ change: SectionedChange, to old: [[Cell]], _ new: [[Cell]]
        ) -> [[Cell]] {
            for sections in [change.sectionDeletions, change.sectionInsertions] {
                XCTAssertEqual(sections, Set(sections).sorted(), "sections do not ascend")
            }
            for rows in [change.deletions, change.insertions, change.modifications] {
                XCTAssertEqual(rows, Set(rows).sorted(), "rows do not ascend")
            }
            XCTAssert(Set(change.modifications).isDisjoint(with: change.insertions))
            var shown = old
            for row in change.deletions.reversed() {
                XCTAssertFalse(change.sectionDeletions.contains(row.section), "a row of a deleted section")
                shown[row.section].remove(at: row.row)
            }
            for section in change.sectionDeletions.reversed() { shown.remove(at: section) }
            for section in change.sectionInsertions { shown.insert([], at: section) }
            for row in change.insertions { shown[row.section].insert(new[row.section][row.row], at: row.row) }
            for row in change.modifications { shown[row.section][row.row] = new[row.section][row.row] }
            return shown
        }
    }

    /// The numbers of sections by their keys, as small as possible.
    private final class SectionNumbers {
        private var numbers: [ViewModel.SortValue: Int] = [:]
        private var free: [Int] = []

        func number(_ key: ViewModel.SortValue) -> Int {
            if let known = numbers[key] { return known }
            let number = free.popLast() ?? numbers.count
            numbers[key] = number
            return number
        }

        func release(_ emptied: [Int]) {
            numbers = numbers.filter { !emptied.contains($0.value) }
            free += emptied
        }
    }

    func testRandomQueriesAndCommits() {
        for round in TestEffort.rounds(300, within: 0.6, atLeast: 10) {
            let store = ViewStore(TestRandom("sections \(round)"), items: round % 8 == 0 ? 200 : 20)
            let followers = (0..<5).map { _ in Follower(store) }
            for _ in 0..<12 {
                store.transact()
                for follower in followers where store.random.chance(60) { follower.update(store) }
            }
            for follower in followers {
                follower.update(store)
                follower.end(store)
            }
            store.destroy()
            if let failures = testRun?.failureCount, failures > 0 {
                XCTFail("in round \(round)")
                return
            }
        }
    }
}
