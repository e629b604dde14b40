import TestRandomness
import XCTest

@testable import KivoEngine

/// Results that follow an open transaction: how often they can, and that they equal the results of random queries.
final class FollowedResultTests: XCTestCase {
    private let heap = Heap()
    private let reader = ReaderState.allocate()
    private let table = TestCatalog.person
    private let catalog = TestCatalog.catalog

    deinit { reader.deallocate() }

    /// Runs a body in a transaction with some persons of ages 0, 1, 2 and so on, which is given up.
    private func withPersons(_ count: Int, _ body: (WriteTransaction, [ObjectKey], RowLog) -> Void) {
        let chain = VersionChain(heap: heap)
        let transaction = WriteTransaction(
            id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
        let keys = (0..<count).map { index in
            let key = transaction.insert(into: table)
            transaction.set(.word(UInt64(index)), table, key, TestCatalog.Person.number)
            transaction.set(.word(UInt64(index)), table, key, TestCatalog.Person.age)
            return key
        }
        let log = RowLog {}
        transaction.rowLog = log
        body(transaction, keys, log)
        _ = transaction.cancel()
    }

    private var age: ResolvedPath {
        var path = ResolvedPath(from: table)
        path.append(TestCatalog.Person.age, in: catalog)
        return path
    }

    private func adults(from limit: UInt64) -> RowQuery {
        RowQuery(.table(table), .test(.any, .path(age), .compare(.greaterOrEqual, .word(limit), .natural)))
    }

    /// Takes away the first element again and again; returns how often that was followed.
    private func followedCount(
        _ count: Int, _ query: RowQuery, _ leave: (WriteTransaction, ObjectKey) -> Void
    ) -> Int {
        var followed = 0
        withPersons(count) { transaction, _, log in
            let answer = FollowedResult(query, log, transaction.snapshot, catalog)
            XCTAssertEqual(answer.keys, query.evaluate(transaction.snapshot, catalog))
            while answer.count > 0 {
                leave(transaction, answer.key(at: 0))
                if !answer.follow(transaction.snapshot, catalog) { break }
                followed += 1
            }
            XCTAssertEqual(query.evaluate(transaction.snapshot, catalog), [])
        }
        return followed
    }

    func testAllDeletionsOfTheFirstElementAreFollowed() {
        let delete = { (transaction: WriteTransaction, key: ObjectKey) in
            transaction.delete([key], from: self.table)
        }
        XCTAssertEqual(followedCount(3000, adults(from: 1000), delete), 2000)
        let sorted = adults(from: 0).followed(by: .sort([SortKey(age, .natural, isAscending: false)]))
        XCTAssertEqual(followedCount(3000, sorted, delete), 3000)
    }

    func testElementsThatLeaveByAnAssignmentAreFollowed() {
        let followed = followedCount(3000, adults(from: 1000)) { transaction, key in
            transaction.set(.word(1), self.table, key, TestCatalog.Person.age)
        }
        XCTAssertEqual(followed, 2000)
    }

    func testWhatComesIsWhereItBelongs() {
        withPersons(600) { transaction, keys, log in
            let query = adults(from: 300).followed(by: .sort([SortKey(age, .natural, isAscending: true)]))
            let answer = FollowedResult(query, log, transaction.snapshot, catalog)
            for index in 0..<100 {
                let age = UInt64(300 + index * 7919 % 300)
                transaction.set(.word(age), table, keys[index], TestCatalog.Person.age)
                if index % 3 == 0 { transaction.delete([keys[599 - index]], from: table) }
                XCTAssertTrue(answer.follow(transaction.snapshot, catalog))
                let expected = query.evaluate(transaction.snapshot, catalog)
                XCTAssertEqual(answer.keys, expected)
                XCTAssertEqual((0..<answer.count).map { answer.key(at: $0) }, expected)
            }
        }
    }

    func testALogThatNobodyReadsSaysSo() {
        withPersons(1) { transaction, keys, _ in
            var isIdle = false
            transaction.rowLog = RowLog { isIdle = true }
            for age in 0..<20_000 {
                transaction.set(.word(UInt64(age)), table, keys[0], TestCatalog.Person.age)
            }
            XCTAssertTrue(isIdle)
        }
    }

    func testDeletingEverythingIsNotFollowed() {
        withPersons(10) { transaction, _, log in
            let answer = FollowedResult(adults(from: 0), log, transaction.snapshot, catalog)
            transaction.deleteAll()
            XCTAssertFalse(answer.follow(transaction.snapshot, catalog))
        }
    }

    /// Random queries inside random transactions, compared with arrays that are filtered and sorted again after some edits.
    func testRandomQueriesAndEdits() {
        var followed = 0
        for round in TestEffort.rounds(400, within: 0.3, atLeast: 10) {
            let store = ViewStore(TestRandom("followed \(round)"), items: round % 8 == 0 ? 200 : 20)
            let (before, transaction) = (store.model, store.begin())
            let log = RowLog {}
            transaction.rowLog = log
            for _ in 0..<8 { store.edit(transaction) }
            let queries = (0..<6).map { _ in ViewQuery(store) }.filter(\.query.canBeFollowed)
            var results = queries.map {
                FollowedResult($0.query, log, transaction.snapshot, ViewModel.catalog)
            }
            for _ in 0..<30 {
                for _ in 0...store.random.below(4) { store.edit(transaction) }
                for (index, query) in queries.enumerated() where store.random.chance(50) {
                    if results[index].follow(transaction.snapshot, ViewModel.catalog) {
                        followed += 1
                    } else {
                        results[index] = FollowedResult(
                            query.query, log, transaction.snapshot, ViewModel.catalog)
                    }
                    let (result, expected) = (results[index], query.result(store.model).map(\.key))
                    XCTAssertEqual(result.keys, expected, "in round \(round)")
                    XCTAssertEqual((0..<result.count).map(result.key), expected, "in round \(round)")
                }
            }
            store.cancel(transaction, restoring: before)
            store.destroy()
        }
        XCTAssertGreaterThan(followed, 100)
    }
}
