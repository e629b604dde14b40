import TestRandomness
import XCTest

@testable import KivoEngine

/// Transactions of random operations on tables of all kinds of columns, compared with a model, while older versions
/// are read.
final class WriteTransactionTests: XCTestCase {
    private func run(_ random: TestRandom, transactions: Int, operations: Int, pins: Int) -> TestStore {
        let store = TestStore(random)
        for _ in TestEffort.rounds(transactions, within: 0.3) {
            store.transact(operations: store.random.below(operations), cancelling: 25)
            while store.pins.count > 1 + store.random.below(pins) { store.unpinOne() }
            store.checkOne()
        }
        return store
    }

    func testManySmallTransactions() {
        let store = run(TestRandom(), transactions: 300, operations: 12, pins: 5)
        store.destroy()
    }

    func testFewLargeTransactions() {
        let store = run(TestRandom(), transactions: 30, operations: 400, pins: 4)
        store.destroy()
    }

    func testNothingIsWritten() {
        let store = run(TestRandom(), transactions: 10, operations: 1, pins: 2)
        store.destroy()
    }

    /// One word of 64 bits has to have the hash of null: it and null must not be taken for each other.
    func testWordWithTheHashOfNull() {
        // The steps of the hash of words, backwards.
        func unshift(_ word: UInt64, _ shift: UInt64) -> UInt64 {
            var result = word
            for _ in 0..<64 / shift { result = word ^ (result >> shift) }
            return result
        }
        func inverse(_ factor: UInt64) -> UInt64 {
            (0..<6).reduce(factor) { inverse, _ in inverse &* (2 &- factor &* inverse) }
        }
        var word = unshift(Cell.nullHash, 31) &* inverse(0x94D0_49BB_1331_11EB)
        word = unshift(word, 27) &* inverse(0xBF58_476D_1CE4_E5B9)
        word = unshift(word, 30) &- 0x9E37_79B9_7F4A_7C15
        XCTAssertEqual(Cell.word(word).indexHash(seed: 1), Cell.null.indexHash(seed: 1))

        for ages in [[Cell.null, .word(word)], [.word(word), .null]] {
            let store = TestStore(TestRandom("\(ages)"))
            store.transact { edit in
                for age in ages { edit.insertPerson(age: age) }
            }
            store.chain.headSnapshot.check(store.model)
            store.destroy()
        }
    }

    /// Replay keeps the keys away that later deletions made unused.
    func testReservedKeys() {
        let store = TestStore(TestRandom())
        store.transact { edit in edit.transaction.reserveKeys(below: 1_000, in: TestCatalog.person) }
        store.transact { edit in XCTAssertEqual(edit.insertPerson(age: .null), 1_000) }
        store.transact { edit in edit.transaction.reserveKeys(below: 10, in: TestCatalog.person) }
        store.transact { edit in XCTAssertEqual(edit.insertPerson(age: .word(7)), 1_001) }
        store.destroy()
    }
}
