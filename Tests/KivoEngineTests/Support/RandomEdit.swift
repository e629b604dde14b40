import XCTest

@testable import KivoEngine

/// Random operations of one transaction, done alike to the transaction and to the model.
struct RandomEdit {
    let transaction: WriteTransaction
    var model: StoreModel
    var random: TestRandom
    /// Above all keys that were ever seen: a new object may have none below.
    var unseenKeys: [ObjectKey]

    mutating func perform() {
        let kind = random.below(1_000)
        let table = random.chance(65) ? TestCatalog.person : TestCatalog.dog
        let crowd = model.tables[table].count
        if crowd == 0 || kind < (crowd < 60 ? 160 : 60) {
            insert(into: table)
        } else if kind < 230 {
            delete(1, from: TestCatalog.tables[random.below(4)])
        } else if kind < 233 {
            delete(random.chance(30) ? crowd : random.below(crowd), from: table)
        } else if kind == 233, random.chance(40) {
            transaction.deleteAll()
            model.deleteAll()
        } else {
            // The values of embedded objects are changed, too.
            let table = random.chance(80) ? table : TestCatalog.tables[random.below(4)]
            guard let key = randomKey(table) else { return }
            for _ in 0...random.below(3) {
                let column = random.below(TestCatalog.catalog.tables[table].columns.count)
                guard model.tables[table][key] != nil else { return }
                change(CollectionID(table: table, column: column, key: key))
            }
        }
    }

    private mutating func randomKey(_ table: TableID) -> ObjectKey? {
        let keys = model.keys(table)
        return keys.isEmpty ? nil : keys[random.below(keys.count)]
    }

    /// The link of an embedded object made for its owner, or of any object of a column's target, or of none.
    private mutating func link(_ spec: ColumnSpec) -> Cell {
        if spec.isOwning { return random.chance(20) ? .link(0) : .link(insert(into: spec.target!)) }
        return .link(random.chance(10) ? 0 : randomKey(spec.target!) ?? 0)
    }

    @discardableResult
    private mutating func insert(into table: TableID) -> ObjectKey {
        let key: ObjectKey
        if table == TestCatalog.dog, random.chance(15) {
            // Inserts at a given key like a replayed commit; wide gaps between the keys make the tree higher and sparse.
            key = unseenKeys[table] + ObjectKey(random.below(random.chance(1) ? 200_000 : 2_000))
            transaction.insert(into: table, at: key)
        } else {
            key = transaction.insert(into: table)
        }
        XCTAssertGreaterThanOrEqual(key, unseenKeys[table], "a key was used again")
        XCTAssert(transaction.isInserted(key, table))
        unseenKeys[table] = key + 1
        model.insert(key, into: table)
        for (column, spec) in TestCatalog.catalog.tables[table].columns.enumerated() where spec.isPrimaryKey {
            let unique = "\(key) is the key of an object"
            set(
                spec.kind == .string ? .string(unique) : .word(UInt64(key)),
                CollectionID(table: table, column: column, key: key))
        }
        return key
    }

    @discardableResult
    mutating func insertPerson(age: Cell) -> ObjectKey {
        let key = insert(into: TestCatalog.person)
        set(age, CollectionID(table: TestCatalog.person, column: TestCatalog.Person.age, key: key))
        return key
    }

    private mutating func delete(_ count: Int, from table: TableID) {
        let keys = Array(model.keys(table).shuffled(using: &random).prefix(count))
        guard !keys.isEmpty else { return }
        transaction.delete(keys, from: table)
        model.delete(keys, from: table)
    }

    private mutating func set(_ cell: Cell, _ id: CollectionID) {
        transaction.set(cell, id.table, id.key, id.column)
        model.set(cell, id)
    }

    private mutating func change(_ id: CollectionID) {
        let spec = TestCatalog.spec(id)
        switch spec.kind {
        case .link: set(link(spec), id)
        case .sequence: changeSequence(id, spec)
        default:
            if spec.isPrimaryKey { return }
            let cell = random.value(spec)
            if spec.isIndexed || random.chance(50) { set(cell, id) } else { store(cell, id, spec) }
        }
    }

    /// Assigns a value as the properties of objects do: by a store into memory that the transaction made ready.
    private mutating func store(_ cell: Cell, _ id: CollectionID, _ spec: ColumnSpec) {
        let (leaf, slot) = transaction.prepareStore(id.table, id.key, id.column)
        let data = leaf.columns[id.column]
        switch cell {
        case .word(let word): data.assumingMemoryBound(to: UInt64.self)[slot] = word
        case .wide(let low, let high):
            data.assumingMemoryBound(to: (UInt64, UInt64).self)[slot] = (low, high)
        case .string(let string): XCTAssert(ColumnValues.replaceString(data, slot, string))
        case .bytes(let bytes): XCTAssert(ColumnValues.replaceBytes(data, slot, bytes))
        case .null:
            if spec.kind == .string { XCTAssert(ColumnValues.replaceString(data, slot, nil)) }
            if spec.kind == .bytes { XCTAssert(ColumnValues.replaceBytes(data, slot, nil)) }
        case .link, .typedWord, .typedWide, .typedLink:
            fatalError("links and any values are not stored directly")
        }
        leaf.column(id.column).setNull(slot, cell == .null)
        model.set(cell, id)
    }

    private mutating func changeSequence(_ id: CollectionID, _ spec: ColumnSpec) {
        let map = TestCatalog.map(id)
        if random.chance(4) {
            for part in map.map({ [$0.keys, $0.values] }) ?? [id] {
                transaction.removeAllElements(from: part)
                if !model.elements(part).isEmpty { model.edit(part) { $0 = [] } }
            }
        } else if let map {
            changeMap(map.keys, values: map.values)
        } else if spec.order == .sorted {
            changeSet(id, spec)
        } else {
            changeList(id, spec)
        }
        XCTAssertEqual(transaction.sequence(id).count, model.elements(id).count)
    }

    private mutating func newElement(_ spec: ColumnSpec) -> Cell {
        spec.target == nil ? random.element(spec.element!) : link(spec)
    }

    private mutating func changeList(_ id: CollectionID, _ spec: ColumnSpec) {
        let count = model.elements(id).count
        let kind = random.below(100)
        if count == 0 || kind < 40 {
            let cells = (0..<random.below(random.chance(3) ? 80 : 4)).map { _ in newElement(spec) }
                .filter { !spec.requiresTargets || $0 != .link(0) }
            let position = random.below(count + 1)
            transaction.insertElements(cells, at: position, into: id)
            if !cells.isEmpty { model.edit(id) { $0.insert(contentsOf: cells, at: position) } }
            return
        }
        let (position, other) = (random.below(count), random.below(count))
        if kind < 50 {
            transaction.removeElement(at: position, from: id)
            model.edit(id) { $0.remove(at: position) }
        } else if kind < 60 {
            let range = min(position, other)..<max(position, other)
            transaction.removeElements(range, from: id)
            if !range.isEmpty { model.edit(id) { $0.removeSubrange(range) } }
        } else if kind < 75 {
            let cell = newElement(spec)
            if spec.requiresTargets, cell == .link(0) { return }
            transaction.replaceElement(cell, at: position, in: id)
            model.edit(id) { $0[position] = cell }
        } else if kind < 88 {
            transaction.moveElement(from: position, to: other, in: id)
            if position != other { model.edit(id) { $0.insert($0.remove(at: position), at: other) } }
        } else {
            transaction.swapElements(position, other, in: id)
            if position != other { model.edit(id) { $0.swapAt(position, other) } }
        }
    }

    private mutating func changeSet(_ id: CollectionID, _ spec: ColumnSpec) {
        let cell = newElement(spec)
        if spec.target != nil, cell == .link(0) { return }
        let (position, isPresent) = transaction.sequence(id).lowerBound(cell)
        XCTAssertEqual(isPresent, model.elements(id).contains(cell))
        if !isPresent {
            transaction.insertElement(cell, at: position, into: id)
            model.edit(id) { $0.insert(cell, at: position) }
        } else if random.chance(50) {
            transaction.removeElement(at: position, from: id)
            model.edit(id) { $0.remove(at: position) }
        }
    }

    private mutating func changeMap(_ keys: CollectionID, values: CollectionID) {
        let key = random.element(TestCatalog.spec(keys).element!)
        let value = newElement(TestCatalog.spec(values))
        let (position, isPresent) = transaction.sequence(keys).lowerBound(key)
        XCTAssertEqual(isPresent, model.elements(keys).contains(key))
        if !isPresent {
            transaction.insertElement(key, at: position, into: keys)
            transaction.insertElement(value, at: position, into: values)
            model.edit(keys) { $0.insert(key, at: position) }
            model.edit(values) { $0.insert(value, at: position) }
        } else if random.chance(50) {
            transaction.replaceElement(value, at: position, in: values)
            model.edit(values) { $0[position] = value }
        } else {
            for part in [keys, values] {
                transaction.removeElement(at: position, from: part)
                model.edit(part) { $0.remove(at: position) }
            }
        }
    }
}
