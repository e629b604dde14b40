import XCTest

@testable import KivoEngine

/// A version chain with the tables of ``ViewModel``, and the model that equals its newest version.
final class ViewStore {
    let heap = Heap()
    var random: TestRandom
    private(set) var chain: VersionChain
    var model = ViewModel()
    private let reader = ReaderState.allocate()
    private var keyFloors: [TableID: ObjectKey] = [:]
    private var transactions: UInt64 = 0

    init(_ random: TestRandom, items: Int) {
        self.random = random
        chain = VersionChain(heap: heap)
        let transaction = begin()
        model.shelf = transaction.insert(into: ViewModel.shelfTable)
        for _ in 0..<items { insertItem(transaction) }
        for _ in 0..<items {
            changeCollection(transaction)
            changeLinks(transaction)
        }
        commit(transaction)
    }

    deinit { reader.deallocate() }

    func begin() -> WriteTransaction {
        transactions += 1
        let transaction = WriteTransaction(
            id: transactions, base: chain.headSnapshot, catalog: ViewModel.catalog, heap: heap, reader: reader
        )
        transaction.keyFloors = keyFloors
        return transaction
    }

    func commit(_ transaction: WriteTransaction) {
        let changes = transaction.changeSet()
        _ = chain.append(transaction.commit(changes))
    }

    /// Cancels a transaction, at whose beginning the model was another one.
    func cancel(_ transaction: WriteTransaction, restoring model: ViewModel) {
        for (table, floor) in transaction.cancel() { keyFloors[table] = max(keyFloors[table] ?? 0, floor) }
        self.model = model
    }

    /// Runs a transaction of random edits, of which some are cancelled.
    func transact() {
        let (before, transaction) = (model, begin())
        for _ in 0...random.below(random.chance(10) ? 150 : 5) { edit(transaction) }
        if random.chance(15) { cancel(transaction, restoring: before) } else { commit(transaction) }
    }

    func pinHead() -> (version: UInt64, snapshot: Snapshot) { (chain.head, chain.pin(chain.head)) }

    func unpin(_ version: UInt64) { chain.unpin(version) }

    /// Frees everything. Nothing may be left in memory.
    func destroy() {
        chain.destroy(ViewModel.catalog)
        XCTAssertEqual(heap.liveBlockCount, 0)
    }
}

/// Random edits of a transaction and of the model.
extension ViewStore {
    func edit(_ transaction: WriteTransaction) {
        switch random.below(1_000) {
        case 0..<170: insertItem(transaction)
        case 170..<290: deleteItems(transaction, count: 1)
        case 290..<295: deleteItems(transaction, count: random.below(20))
        case 295: deleteShelf(transaction)
        case 296..<600: changeItem(transaction)
        case 600..<750: changeLinks(transaction)
        default: changeCollection(transaction)
        }
    }

    private var anyItem: ObjectKey? { model.items.keys.sorted().randomElement(using: &random) }

    func randomNumber() -> Int64? {
        if random.chance(15) { return nil }
        return random.chance(4) ? [Int64.min, .max][random.below(2)] : Int64(random.below(24) - 8)
    }

    func randomWeight() -> Double? {
        let special: [Double?] = [nil, .nan, -.nan, 0, -0.0, .infinity, -.infinity]
        return random.chance(40) ? special[random.below(special.count)] : Double(random.below(12) - 6) / 2
    }

    func randomName() -> String? {
        if random.chance(10) { return nil }
        let names = [
            "", "a", "A", "ab", "aB", "Ab", "b", "é", "É", "éa", "ÉA", "a name of many bytes",
            "A name of many bytes", "a name of many Bytes",
        ]
        return names[random.below(names.count)]
    }

    private func insertItem(_ transaction: WriteTransaction) {
        let key = transaction.insert(into: ViewModel.itemTable)
        model.items[key] = ViewModel.Item()
        for column in [ViewModel.Column.number, ViewModel.Column.weight, ViewModel.Column.name]
        where random.chance(85) {
            assign(column, of: key, transaction)
        }
    }

    private func deleteItems(_ transaction: WriteTransaction, count: Int) {
        let keys = model.items.keys.sorted().shuffled(using: &random).prefix(count)
        transaction.delete(Array(keys), from: ViewModel.itemTable)
        model.delete(Set(keys))
    }

    private func deleteShelf(_ transaction: WriteTransaction) {
        if model.shelf == 0 { return }
        transaction.delete([model.shelf], from: ViewModel.shelfTable)
        model.deleteShelf()
    }

    private func changeItem(_ transaction: WriteTransaction) {
        guard let key = anyItem else { return }
        assign(random.below(3), of: key, transaction)
    }

    private func assign(_ column: Int, of key: ObjectKey, _ transaction: WriteTransaction) {
        let cell: Cell
        switch column {
        case ViewModel.Column.number:
            let number = randomNumber()
            model.items[key]!.number = number
            cell = number.cell
        case ViewModel.Column.weight:
            let weight = randomWeight()
            model.items[key]!.weight = weight
            cell = weight.map { .word($0.bitPattern) } ?? .null
        default:
            let name = randomName()
            model.items[key]!.name = name
            cell = name.map(Cell.string) ?? .null
        }
        transaction.set(cell, ViewModel.itemTable, key, column)
    }

    /// Changes the parent or the list of an item.
    private func changeLinks(_ transaction: WriteTransaction) {
        guard let key = anyItem, let other = anyItem else { return }
        if random.chance(50) {
            let id = CollectionID(table: ViewModel.itemTable, column: ViewModel.Column.others, key: key)
            var others = model.items[key]!.others
            // Often an item that the list already contains.
            let repeated = random.chance(50) ? others.first : nil
            change(&others, repeated ?? other, id, transaction) { .link($0) }
            model.items[key]!.others = others
            return
        }
        let parent = random.chance(25) ? 0 : other
        transaction.set(.link(parent), ViewModel.itemTable, key, ViewModel.Column.parent)
        model.items[key]!.parent = parent
    }

    func collection(_ column: Int) -> CollectionID {
        CollectionID(table: ViewModel.shelfTable, column: column, key: model.shelf)
    }

    private func changeCollection(_ transaction: WriteTransaction) {
        if model.shelf == 0 { return }
        switch random.below(5) {
        case 0, 1:
            guard let key = anyItem else { return }
            let id = collection(ViewModel.Column.list)
            change(&model.list, key, id, transaction) { .link($0) }
        case 2, 3:
            let (number, id) = (randomNumber(), collection(ViewModel.Column.values))
            change(&model.values, number, id, transaction) { $0.cell }
        default:
            guard let key = anyItem else { return }
            let id = collection(ViewModel.Column.set)
            let (position, isPresent) = transaction.sequence(id).lowerBound(.link(key))
            XCTAssertEqual(isPresent, model.set.contains(key))
            if model.set.remove(key) != nil {
                transaction.removeElement(at: position, from: id)
            } else {
                transaction.insertElement(.link(key), at: position, into: id)
                model.set.insert(key)
            }
        }
    }

    private func change<Value>(
        _ elements: inout [Value], _ value: Value, _ id: CollectionID, _ transaction: WriteTransaction,
        cell: (Value) -> Cell
    ) {
        let (count, kind) = (elements.count, random.below(100))
        if count == 0 || kind < 50 {
            let position = random.below(count + 1)
            transaction.insertElement(cell(value), at: position, into: id)
            elements.insert(value, at: position)
            return
        }
        let (position, other) = (random.below(count), random.below(count))
        switch kind {
        case 50..<68:
            transaction.removeElement(at: position, from: id)
            elements.remove(at: position)
        case 68..<82:
            transaction.replaceElement(cell(value), at: position, in: id)
            elements[position] = value
        case 82..<92:
            transaction.moveElement(from: position, to: other, in: id)
            elements.insert(elements.remove(at: position), at: other)
        case 92..<99:
            transaction.swapElements(position, other, in: id)
            elements.swapAt(position, other)
        default:
            transaction.removeAllElements(from: id)
            elements = []
        }
    }
}

extension Int64? {
    /// The cell of an optional integer.
    var cell: Cell { map { .word(UInt64(bitPattern: $0)) } ?? .null }
}
