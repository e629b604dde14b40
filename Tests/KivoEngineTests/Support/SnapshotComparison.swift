import XCTest

@testable import KivoEngine

extension Snapshot {
    /// Checks that everything that can be asked of a snapshot is answered as the model has it. Before the commit,
    /// leaves may be empty.
    func check(
        _ model: StoreModel, isCommitted: Bool = true, file: StaticString = #filePath, line: UInt = #line
    ) {
        checkInvariants(TestCatalog.catalog)
        for table in TestCatalog.tables {
            if isCommitted {
                self.table(table).forEachLeaf { leaf in
                    XCTAssertFalse(leaf.occupied.isEmpty, "an empty leaf was kept", file: file, line: line)
                    XCTAssertFalse(leaf.isSparse, "a leaf of few rows was not packed", file: file, line: line)
                    return true
                }
            }
            checkKeys(table, model, file: file, line: line)
            checkValues(table, model, file: file, line: line)
            checkIndexes(table, model, file: file, line: line)
        }
        checkBacklinks(model, file: file, line: line)
    }

    private func checkKeys(_ id: TableID, _ model: StoreModel, file: StaticString, line: UInt) {
        let (table, keys) = (self.table(id), model.keys(id))
        XCTAssertEqual(table.count, keys.count, file: file, line: line)
        XCTAssert(keys.allSatisfy { $0 < table.nextKey }, file: file, line: line)
        var seen: [ObjectKey] = []
        table.forEachKey { seen.append($0) }
        XCTAssertEqual(seen, keys, file: file, line: line)
        var leaves: [ObjectKey] = []
        table.forEachLeaf { leaf in
            leaves.append(leaf.firstKey)
            return true
        }
        var found: [ObjectKey] = []
        var next = table.nextLeaf(from: 0)
        while let leaf = next {
            found.append(leaf.firstKey)
            next = table.nextLeaf(after: leaf)
        }
        XCTAssertEqual(found, leaves, file: file, line: line)
        for (position, key) in keys.enumerated() {
            let isRight =
                table.key(at: position) == key && table.position(of: key) == position && table.contains(key)
                && table.position(of: key + 1) == position + 1
            if !isRight { XCTFail("key \(key) is not found at \(position)", file: file, line: line) }
            let previous = position == 0 ? 0 : keys[position - 1]
            if previous < key - 1, table.contains(key - 1) || table.position(of: key - 1) != position {
                XCTFail("key \(key - 1) is found", file: file, line: line)
            }
        }
    }

    private func checkValues(_ id: TableID, _ model: StoreModel, file: StaticString, line: UInt) {
        let table = self.table(id)
        for (key, object) in model.tables[id] {
            for (index, column) in TestCatalog.catalog.tables[id].columns.enumerated() {
                if column.kind == .sequence {
                    let sequence = table.sequence(key, index, column.element!)
                    var elements: [Cell] = []
                    sequence.forEach { elements.append($0) }
                    if elements != object.elements[index] || sequence.count != elements.count {
                        let difference = "\(elements), not \(object.elements[index])"
                        XCTFail("\(column.name) of \(key) is \(difference)", file: file, line: line)
                    }
                } else if table.cell(key, index, column.kind) != object.cells[index] {
                    let difference = "\(table.cell(key, index, column.kind)), not \(object.cells[index])"
                    XCTFail("\(column.name) of \(key) is \(difference)", file: file, line: line)
                }
            }
        }
    }

    private func checkIndexes(_ id: TableID, _ model: StoreModel, file: StaticString, line: UInt) {
        let (table, spec) = (self.table(id), TestCatalog.catalog.tables[id])
        for (ordinal, column) in spec.indexedColumns.enumerated() {
            let name = spec.columns[column].name
            var groups: [(cell: Cell, keys: [ObjectKey])] = []
            for key in model.keys(id) {
                let cell = model.tables[id][key]!.cells[column]
                if let group = groups.firstIndex(where: { $0.cell == cell }) {
                    groups[group].keys.append(key)
                } else {
                    groups.append((cell, [key]))
                }
            }
            for absent in [Cell.null, .word(1 << 60), .string("nobody"), .bytes([9]), .wide(7, 1 << 60)]
            where !groups.contains(where: { $0.cell == absent }) {
                groups.append((absent, []))
            }
            for (cell, keys) in groups {
                let found = table.keys(where: column, equals: cell, spec)
                XCTAssertEqual(found, keys, "\(name) == \(cell)", file: file, line: line)
                let kind = spec.columns[column].kind
                let first = table.firstKey(index: ordinal, column: column, kind: kind, equals: cell)
                XCTAssertEqual(first, keys.first, "\(name) == \(cell)", file: file, line: line)
            }
        }
    }

    private func checkBacklinks(_ model: StoreModel, file: StaticString, line: UInt) {
        let links = model.incomingLinks()
        for table in TestCatalog.tables {
            for incoming in TestCatalog.catalog.tables[table].incoming {
                for target in model.keys(table) {
                    let backlinks = self.backlinks(incoming.backlinks, of: target)
                    var origins: [ObjectKey] = []
                    backlinks.forEach { origins.append($0) }
                    let expected =
                        links[.init(origin: incoming.table, column: incoming.column, target: target)] ?? []
                    if origins != expected || backlinks.count != expected.count {
                        let difference = "\(origins), not \(expected)"
                        XCTFail("origins of \(target) are \(difference)", file: file, line: line)
                    }
                }
                self.table(incoming.backlinks).forEachKey { target in
                    if model.tables[table][target] == nil {
                        XCTFail("object \(target) is gone, its backlinks are not", file: file, line: line)
                    }
                }
            }
        }
    }
}
