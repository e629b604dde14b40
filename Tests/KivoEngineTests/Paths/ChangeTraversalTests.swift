import TestRandomness
import XCTest

@testable import KivoEngine

/// The traversal from changes to rows: that it finds what the slow model finds, and how many rows it visits.
final class ChangeTraversalTests: XCTestCase {
    private let catalog = TestCatalog.catalog
    private var random = TestRandom("traversals")

    func testTheWalkFindsWhatTheSlowModelFinds() {
        let store = TestStore(random)
        store.transact { edit in for _ in 0..<120 { edit.perform() } }
        for _ in TestEffort.rounds(400, within: 0.3) {
            store.pinHead()
            let old = store.pins.last!.snapshot
            var changes = RowChangeSet()
            for _ in 0...random.below(2) {
                let operations = 1 + random.below(6)
                store.transact { edit in for _ in 0..<operations { edit.perform() } }
                changes.append(store.lastChanges)
            }
            let new = store.chain.headSnapshot
            for _ in 0..<8 { checkPaths(changes, old, new) }
            checkLinks(changes, old, new)
            store.unpinAllBut(first: 1)
        }
        store.destroy()
    }

    private func checkPaths(_ changes: RowChangeSet, _ old: Snapshot, _ new: Snapshot) {
        let table = TestCatalog.tables[random.below(4)]
        let made = (0...random.below(3)).map { _ in
            RandomPath(from: table, hops: random.below(4), &random)
        }
        let paths = made.map { $0.path }
        let countsRows = random.chance(50)
        let countsOriginEdits = random.chance(50)
        let dependencies = Dependencies(
            paths, from: table, countsRows: countsRows, countsOriginEdits: countsOriginEdits, catalog)
        // A row that came and went between two versions is still in the changes of the backlinks of what it referred to. If that
        // is all, nothing is different.
        let isTouched = ChangeTraversals(changes, new, catalog).touches(dependencies.interests)
        let model = SlowTraversal(
            changes: changes, new: new, countsRows: countsRows, paths: paths, countsReferrers: isTouched,
            countsOriginEdits: countsOriginEdits)
        let isExact = !made.contains { $0.hasEntries }
        check(dependencies, table, isExact, changes, old, new) { model.counts(for: $0, in: table) }
        // Whatever a query reads differently was found.
        let found = Set(ChangeTraversals(changes, new, catalog).rows(dependencies))
        for key in Set(keys(table, old)).intersection(keys(table, new)) where !found.contains(key) {
            for path in paths {
                XCTAssertEqual(
                    values(path, key, table, old), values(path, key, table, new), "\(path.hops) \(path.end)")
            }
        }
    }

    private func checkLinks(_ changes: RowChangeSet, _ old: Snapshot, _ new: Snapshot) {
        let table = TestCatalog.tables[random.below(4)]
        let links = random.below(4)
        let dependencies = Dependencies(links: links, from: table, catalog)
        var model = SlowLinkTraversal(changes, new)
        check(dependencies, table, true, changes, old, new) {
            model.isModified($0, table, links: links)
        }
    }

    /// Asks a traversal for all rows and for those among some, with a budget that lets it turn around.
    private func check(
        _ dependencies: Dependencies, _ table: TableID, _ isExact: Bool, _ changes: RowChangeSet,
        _ old: Snapshot, _ new: Snapshot, _ counts: (ObjectKey) -> Bool
    ) {
        // Inserted rows are reported as such; whether they count besides makes no difference.
        let stayed = keys(table, new).filter { changes.table(table)?.state(of: $0) != .inserted }
        let expected = stayed.filter(counts)
        let all = ChangeTraversals(changes, new, catalog).rows(dependencies)
        XCTAssertEqual(all, Set(all).sorted())
        let found = all.filter(stayed.containsAscending)
        if isExact { XCTAssertEqual(found, expected) }
        XCTAssert(Set(expected).isSubset(of: found))
        if !expected.isEmpty {
            XCTAssert(ChangeTraversals(changes, new, catalog).touches(dependencies.interests))
        }

        let traversals = ChangeTraversals(changes, new, catalog)
        traversals.smallestBudget = random.chance(70) ? 1 : 64
        for _ in 0..<3 {
            let elements = stayed.shuffled(using: &random).prefix(random.below(6))
            let rows = traversals.rows(dependencies, among: elements.count) { body in
                for key in elements where !body(key) { break }
            }
            XCTAssertEqual(rows, Set(rows).sorted())
            XCTAssert(Set(elements).intersection(expected).isSubset(of: rows))
            if isExact {
                XCTAssertEqual(Set(elements).intersection(rows), Set(elements).intersection(expected))
            }
            for key in elements where isExact {
                XCTAssertEqual(traversals.affects(key, dependencies), expected.containsAscending(key))
            }
        }
    }

    private func keys(_ table: TableID, _ snapshot: Snapshot) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        snapshot.table(table).forEachKey { keys.append($0) }
        return keys
    }

    private func values(
        _ path: ResolvedPath, _ key: ObjectKey, _ table: TableID, _ snapshot: Snapshot
    ) -> [Cell] {
        var cells: [Cell] = []
        guard let row = snapshot.table(table).row(key) else { return [] }
        _ = path.forEach(snapshot, row) {
            cells.append($0)
            return true
        }
        return cells
    }
}

#if DEBUG
/// The cost of a traversal must depend neither on the number of rows that refer to changed rows, nor on the number of rows to
/// which these refer.
final class ChangeWalkGrowthTests: XCTestCase {
    private let catalog = TestCatalog.catalog
    private let person = TestCatalog.person
    private let heap = Heap()
    private let reader = ReaderState.allocate()

    deinit { reader.deallocate() }

    /// Makes a hub that so many persons have as a friend, changes it, and calls `body` with the first three of them.
    private func withHub(
        _ count: Int, _ body: (ChangeTraversals, _ elements: [ObjectKey], _ old: Snapshot) -> Void
    ) {
        var chain = VersionChain(heap: heap)
        let create = transaction(1, chain)
        let keys = (0...count).map { index in
            let key = create.insert(into: person)
            create.set(.word(UInt64(index)), person, key, TestCatalog.Person.number)
            return key
        }
        for key in keys.dropFirst() {
            create.set(.link(keys[0]), person, key, TestCatalog.Person.friend)
        }
        _ = chain.append(create.commit(create.changeSet()))
        let before = chain.head
        let old = chain.pin(before)
        let modify = transaction(2, chain)
        modify.set(.word(7), person, keys[0], TestCatalog.Person.age)
        let changes = modify.changeSet()
        _ = chain.append(modify.commit(changes))
        body(ChangeTraversals(changes, chain.headSnapshot, catalog), Array(keys[1...3]), old)
        chain.unpin(before)
        chain.destroy(catalog)
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    private func transaction(_ id: UInt64, _ chain: VersionChain) -> WriteTransaction {
        WriteTransaction(id: id, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
    }

    private func work(_ count: Int, _ dependencies: Dependencies) -> Int {
        var work = 0
        withHub(count) { traversals, elements, _ in
            let rows = traversals.rows(dependencies, among: elements.count) { body in
                for key in elements where !body(key) { break }
            }
            XCTAssertEqual(rows, elements)
            work = traversals.work
        }
        return work
    }

    func testASmallViewOfAHubIsGoneThroughForwards() {
        var age = ResolvedPath(from: person)
        age.append(TestCatalog.Person.friend, in: catalog)
        age.append(TestCatalog.Person.age, in: catalog)
        for dependencies in [
            Dependencies([age], from: person, catalog),
            Dependencies([age], from: person, countsRows: true, catalog),
            Dependencies(links: 3, from: person, catalog),
        ] {
            let few = work(1000, dependencies)
            XCTAssertGreaterThan(few, 0)
            XCTAssertEqual(work(4000, dependencies), few)
        }
    }

    func testARowWithManyOriginsIsReachedBackwards() {
        var path = ResolvedPath(from: person)
        let backlinks = catalog.tables[person].backlinks[TestCatalog.Person.friend]!
        path.append(Origins(table: person, column: TestCatalog.Person.friend, backlinks: backlinks))
        path.append(TestCatalog.Person.age, in: catalog)
        let dependencies = Dependencies([path], from: person, catalog)
        let work = { (count: Int) -> Int in
            var work = 0
            self.withHub(count) { traversals, elements, _ in
                // The hub has many origins, none of which changed.
                XCTAssertFalse(traversals.affects(elements[0] - 1, dependencies))
                work = traversals.work
            }
            return work
        }
        XCTAssertEqual(work(4000), work(1000))
    }
}
#endif
