import Foundation
import Synchronization
import XCTest

@testable import KivoEngine

/// Threads that read pinned versions while one writes, commits and frees: for the thread sanitizer above all.
final class ConcurrentReadingTests: XCTestCase {
    func testReadersSeeWholeVersions() {
        let heap = Heap()
        let chain = SharedChain(heap)
        let isDone = Atomic(false)
        let readings = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 3) { worker in
            if worker == 0 {
                Workload.write(chain, heap, transactions: 300)
                isDone.store(true, ordering: .releasing)
            } else {
                repeat {
                    let (number, snapshot) = chain.withLock { ($0.head, $0.pin($0.head)) }
                    Workload.check(snapshot)
                    chain.withLock { $0.unpin(number) }
                    readings.add(1, ordering: .relaxed)
                } while !isDone.load(ordering: .acquiring)
            }
        }
        XCTAssertGreaterThan(readings.load(ordering: .relaxed), 1)
        chain.withLock { $0.destroy(TestCatalog.catalog) }
        XCTAssertEqual(heap.liveBlockCount, 0)
    }
}

/// A version chain and its lock. Not a `Lock`, out of which nothing comes that still belongs to the chain, as snapshots do.
///
/// Sendable because the chain is only ever touched by `body`, under the lock.
private final class SharedChain: @unchecked Sendable {
    private let lock = NSLock()
    private var chain: VersionChain

    init(_ heap: Heap) { chain = VersionChain(heap: heap) }

    func withLock<Result>(_ body: (inout VersionChain) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&chain)
    }
}

/// The work of the threads: in each version all people have the same name, which is also the first of their notes.
private enum Workload {
    static let people = 40

    static func write(_ chain: SharedChain, _ heap: Heap, transactions: Int) {
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
        let table = TestCatalog.person
        for number in 1...transactions {
            let transaction = WriteTransaction(
                id: UInt64(number), base: chain.withLock { $0.headSnapshot }, catalog: TestCatalog.catalog,
                heap: heap, reader: reader)
            if number == 1 {
                for _ in 0..<people { _ = transaction.insert(into: table) }
            }
            var keys: [ObjectKey] = []
            transaction.table(table).forEachKey { keys.append($0) }
            for key in keys { write(number, key, transaction) }
            if number % 10 == 0 {
                _ = transaction.cancel()
            } else {
                let commit = transaction.commit(transaction.changeSet())
                chain.withLock { _ = $0.append(commit) }
            }
        }
    }

    static func write(_ number: Int, _ key: ObjectKey, _ transaction: WriteTransaction) {
        let table = TestCatalog.person
        let note = Cell.string("a string that belongs to version \(number)")
        transaction.set(.word(UInt64(number * 1_000) + UInt64(key)), table, key, TestCatalog.Person.number)
        transaction.set(note, table, key, TestCatalog.Person.name)
        let notes = CollectionID(table: table, column: TestCatalog.Person.notes, key: key)
        if transaction.sequence(notes).count == 20 { transaction.removeAllElements(from: notes) }
        transaction.insertElement(note, at: 0, into: notes)
        transaction.set(.link(ObjectKey(number % people + 1)), table, key, TestCatalog.Person.friend)
    }

    static func check(_ snapshot: Snapshot) {
        let table = snapshot.table(TestCatalog.person)
        var names: [Cell] = []
        table.forEachKey { key in
            names.append(table.cell(key, TestCatalog.Person.name, .string))
            let notes = table.sequence(key, TestCatalog.Person.notes, .string)
            XCTAssertEqual(notes.cell(at: 0), names[0])
            var count = 0
            notes.forEach { _ in count += 1 }
            XCTAssertEqual(count, notes.count)
        }
        XCTAssert(names.allSatisfy { $0 == names[0] })
        XCTAssert(names.isEmpty || names.count == people)
    }
}
