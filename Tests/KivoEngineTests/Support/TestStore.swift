import XCTest

@testable import KivoEngine

/// A version chain and the model it has to equal, both driven by the same random operations.
final class TestStore {
    struct Pin {
        var number: UInt64
        var snapshot: Snapshot
        var model: StoreModel
    }

    let heap = Heap()
    var random: TestRandom
    private(set) var chain: VersionChain
    private(set) var model = StoreModel()
    /// The pinned versions, in no particular order.
    private(set) var pins: [Pin] = []
    private(set) var lastChanges = RowChangeSet()
    /// The collections that each version assigned, from version 2 on.
    private(set) var assignments: [Set<CollectionID>] = []
    private let reader = ReaderState.allocate()
    private var keyFloors: [TableID: ObjectKey] = [:]
    private var transactions: UInt64 = 0
    /// Above all keys that were ever seen, also in cancelled transactions.
    private var unseenKeys = Array(repeating: ObjectKey(1), count: TestCatalog.tables.count)

    init(_ random: TestRandom) {
        self.random = random
        chain = VersionChain(heap: heap)
        pins = [pin(chain.head)]
    }

    deinit { reader.deallocate() }

    private func pin(_ number: UInt64) -> Pin {
        Pin(number: number, snapshot: chain.pin(number), model: model)
    }

    /// Runs a transaction of random operations and commits it, or cancels it with a probability in percent.
    func transact(operations: Int, cancelling: Int) {
        transact(cancelling: cancelling) { edit in
            for _ in 0..<operations { edit.perform() }
        }
    }

    /// Runs a transaction and commits it, or cancels it with a probability in percent.
    func transact(cancelling: Int = 0, _ body: (inout RandomEdit) -> Void) {
        transactions += 1
        let transaction = WriteTransaction(
            id: transactions, base: chain.headSnapshot, catalog: TestCatalog.catalog, heap: heap,
            reader: reader
        )
        transaction.keyFloors = keyFloors
        // So that lists are searched by index although they are short.
        if random.chance(70) { transaction.linkPositions.shortest = 0 }
        let before = model
        model.forgetAssignments()
        var edit = RandomEdit(transaction: transaction, model: model, random: random, unseenKeys: unseenKeys)
        body(&edit)
        (model, random, unseenKeys) = (edit.model, edit.random, edit.unseenKeys)
        if random.chance(20) { transaction.snapshot.check(model, isCommitted: false) }
        if random.chance(cancelling) {
            for (table, floor) in transaction.cancel() {
                keyFloors[table] = max(keyFloors[table] ?? floor, floor)
            }
            model = before
            chain.headSnapshot.check(model)
        } else {
            assignments.append(model.assigned)
            lastChanges = transaction.changeSet()
            let number = chain.append(transaction.commit(lastChanges))
            chain.headSnapshot.check(model)
            // Versions without a pin are merged.
            if random.chance(50) { pins.append(pin(number)) }
        }
        chain.checkInvariants()
    }

    /// Reads the newest version until it is given up.
    func pinHead() { pins.append(pin(chain.head)) }

    /// Gives up a random version after checking that it is as it was when it was new.
    func unpinOne() {
        let pin = pins.remove(at: random.below(pins.count))
        pin.snapshot.check(pin.model)
        chain.unpin(pin.number)
        chain.checkInvariants()
    }

    /// Gives up one of the versions, in the order in which they were pinned.
    func unpin(at index: Int) {
        let pin = pins.remove(at: index)
        pin.snapshot.check(pin.model)
        chain.unpin(pin.number)
        chain.checkInvariants()
    }

    /// Gives up all versions but some of those that were pinned first.
    func unpinAllBut(first count: Int) {
        while pins.count > count {
            let pin = pins.removeLast()
            pin.snapshot.check(pin.model)
            chain.unpin(pin.number)
        }
    }

    /// Checks one of the pinned versions.
    func checkOne() {
        let pin = pins[random.below(pins.count)]
        pin.snapshot.check(pin.model)
    }

    /// Gives up everything; nothing may be left in memory.
    func destroy() {
        if pins.isEmpty { pins.append(pin(chain.head)) }
        while !pins.isEmpty { unpinOne() }
        XCTAssertEqual(chain.count, 1)
        chain.destroy(TestCatalog.catalog)
        XCTAssertEqual(heap.liveBlockCount, 0)
        model = StoreModel()
        random.pool.checkOwnership()
    }
}
