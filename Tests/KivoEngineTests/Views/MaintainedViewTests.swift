import TestRandomness
import XCTest

@testable import KivoEngine

/// Views of random queries that follow random commits, compared with arrays that are filtered, sorted and grouped again.
final class MaintainedViewTests: XCTestCase {
    /// A view, the contents that its observer displays, and their version.
    private final class Follower {
        let query: ViewQuery
        let view: MaintainedView
        private var shown: [Cell]
        private var version: UInt64
        private var snapshot: Snapshot

        init(_ store: ViewStore) {
            query = ViewQuery(store)
            (version, snapshot) = store.pinHead()
            view = MaintainedView(query.query, snapshot, ViewModel.catalog)
            shown = query.result(store.model).map(query.shown)
            check(ViewChange(), store)
        }

        /// Applies all commits since the last call as one change, to the view and to what is displayed.
        func update(_ store: ViewStore) {
            let (oldVersion, old) = (version, snapshot)
            (version, snapshot) = store.pinHead()
            let changes = store.chain.changes(from: oldVersion, to: version)
            let traversals = ChangeTraversals(changes, snapshot, ViewModel.catalog)
            if store.random.chance(50) { traversals.smallestBudget = 1 }
            let mayChange = view.mayChange(traversals, old: old)
            let change = view.update(traversals, old: old)
            XCTAssert(mayChange || change.isEmpty, "an unexpected change")
            check(change, store)
            checkDifference(from: old, shown, store)
            shown = query.result(store.model).map(query.shown)
            store.unpin(oldVersion)
        }

        func end(_ store: ViewStore) { store.unpin(version) }

        private func check(_ change: ViewChange, _ store: ViewStore) {
            let elements = query.result(store.model)
            let keys = elements.map(\.key)
            XCTAssertEqual(view.keys, keys)
            XCTAssertEqual(view.count, keys.count)
            view.checkInvariants(snapshot, ViewModel.catalog)
            let new = elements.map(query.shown)
            let displayed = MaintainedViewTests.applied(change, to: shown, new)
            XCTAssertEqual(displayed, new, "the change does not lead to the result")
            guard !query.isOfValues else { return }
            XCTAssertEqual(change.modifications, [])
            for key in Set(keys) {
                var positions: [Int] = []
                view.forEachPosition(of: key, snapshot) { positions.append($0) }
                XCTAssertEqual(positions.sorted(), keys.indices.filter { keys[$0] == key })
            }
        }

        /// Checks the difference from a version in which the query is evaluated again.
        private func checkDifference(from old: Snapshot, _ shown: [Cell], _ store: ViewStore) {
            guard store.random.chance(20) else { return }
            let new = query.result(store.model).map(query.shown)
            let change = view.difference(from: old, to: snapshot, ViewModel.catalog)
            XCTAssertEqual(MaintainedViewTests.applied(change, to: shown, new), new)
        }
    }

    /// Returns what is displayed after a change: removes deletions from the last one on, inserts insertions from the first one
    /// on, and then replaces modified elements. Moved elements are deleted and inserted.
    private static func applied(_ change: ViewChange, to old: [Cell], _ new: [Cell]) -> [Cell] {
        for positions in [change.deletions, change.insertions, change.modifications] {
            XCTAssertEqual(positions, Set(positions).sorted(), "positions do not ascend")
        }
        XCTAssert(Set(change.modifications).isDisjoint(with: change.insertions))
        XCTAssertEqual(Set(change.moves.map(\.from)).count, change.moves.count)
        XCTAssertEqual(Set(change.moves.map(\.to)).count, change.moves.count)
        for move in change.moves {
            XCTAssert(change.deletions.contains(move.from) && change.insertions.contains(move.to))
            // A plain value that was assigned keeps its identity, and may move in the order of the view.
            guard case .link = old[move.from] else { continue }
            XCTAssertEqual(old[move.from], new[move.to], "a move leads to another element")
        }
        var shown = old
        for position in change.deletions.reversed() { shown.remove(at: position) }
        for position in change.insertions { shown.insert(new[position], at: position) }
        for position in change.modifications { shown[position] = new[position] }
        return shown
    }

    /// Each view is updated after some commits only, so that it receives changes of one or several commits.
    func testRandomQueriesAndCommits() {
        for round in TestEffort.rounds(400, within: 0.6, atLeast: 10) {
            let store = ViewStore(TestRandom("views \(round)"), items: round % 8 == 0 ? 200 : 20)
            let followers = (0..<6).map { _ in Follower(store) }
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
