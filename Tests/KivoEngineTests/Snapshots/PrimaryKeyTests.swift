import XCTest

@testable import KivoEngine

/// Rows that are found or inserted by primary key, compared with a dictionary, in several versions.
final class PrimaryKeyTests: XCTestCase {
    /// Returns the largest number of rows that were found without the hash index.
    @discardableResult
    private func run(_ kind: ColumnKind, isOptional: Bool, _ value: (inout TestRandom) -> Cell) -> Int {
        var ascending = 0
        var random = TestRandom()
        var catalog = Catalog()
        let columns = [
            ColumnSpec(name: "a", kind: .word),
            ColumnSpec(name: "key", kind: kind, isOptional: isOptional, isPrimaryKey: true),
            ColumnSpec(name: "z", kind: .string, isIndexed: true),
        ]
        catalog.define(catalog.declare("Row", isEmbedded: false), columns: columns)
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
        var model: [CellGroup: ObjectKey] = [:]
        for step in 1...80 {
            let before = model
            let transaction = WriteTransaction(
                id: UInt64(step), base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            for _ in 0..<random.below(60) {
                let cell = value(&random)
                if random.chance(15) {
                    if let key = model.removeValue(forKey: CellGroup(cell)) {
                        transaction.delete([key], from: 0)
                    }
                    continue
                }
                if step > 15, random.chance(3), let old = model.keys.randomElement(using: &random),
                    model[CellGroup(cell)] == nil
                {
                    // Migrations change primary keys.
                    model[CellGroup(cell)] = model.removeValue(forKey: old)!
                    transaction.set(cell, 0, model[CellGroup(cell)]!, 1)
                    continue
                }
                if step > 15, random.chance(2), model[CellGroup(cell)] == nil {
                    // Imports insert rows in any order.
                    let key = ObjectKey(1 + random.below(Int(transaction.table(0).nextKey) + 3))
                    if transaction.table(0).contains(key) { continue }
                    transaction.insert(into: 0, at: key)
                    transaction.set(cell, 0, key, 1)
                    model[CellGroup(cell)] = key
                    continue
                }
                let next = transaction.table(0).nextKey
                let (row, isNew) = transaction.findOrInsert(primaryKey: cell, into: 0)
                XCTAssertEqual(isNew, model[CellGroup(cell)] == nil)
                XCTAssertEqual(row.key, model[CellGroup(cell)] ?? next)
                XCTAssertEqual(row.leaf.column(1).cell(row.slot, kind), cell)
                if isNew { XCTAssertEqual(row.leaf.column(2).cell(row.slot, .string), .string("")) }
                model[CellGroup(cell)] = row.key
                if random.chance(50) { transaction.set(.string("\(row.key % 3)"), 0, row.key, 2) }
            }
            if random.chance(20) {
                _ = transaction.cancel()
                model = before
            } else {
                let changes = transaction.changeSet()
                _ = chain.append(transaction.commit(changes))
            }
            chain.headSnapshot.checkInvariants(catalog)
            check(chain.headSnapshot, model, catalog.tables[0])
            for _ in 0..<20 {
                let cell = value(&random)
                let keys = chain.headSnapshot.table(0).keys(where: 1, equals: cell, catalog.tables[0])
                XCTAssertEqual(keys.first, model[CellGroup(cell)])
            }
            ascending = max(ascending, chain.headSnapshot.table(0).header?.ascending.count ?? 0)
            if step % 20 == 0 { checkRestored(chain.headSnapshot, model, catalog) }
        }
        chain.destroy(catalog)
        return ascending
    }

    /// Writes the rows to pages, and looks them up in what is read from these.
    private func checkRestored(_ snapshot: Snapshot, _ model: [CellGroup: ObjectKey], _ catalog: Catalog) {
        let heap = Heap()
        var writer = PageWriter(MemoryPages(), chunkSize: 1 << 14, isCopy: true)
        guard let roots = try? writer.write(snapshot, catalog) else { return XCTFail("pages are refused") }
        let pages = writer.destination
        var verifier = PageVerifier(catalog, read: pages.page(at:)) { XCTFail("page \($0): \($1)") }
        for root in roots { verifier.verify(root) }
        checkForgedOrder(roots[0], catalog, pages)
        var number = 0
        PageFiles.add {
            number = $0
            return MemoryPageFile(pages, $0, catalog, heap)
        }
        defer { PageFiles.remove(number) }
        var chain = VersionChain(heap: heap, restoring: roots, of: number, catalog)
        check(chain.headSnapshot, model, catalog.tables[0])
        chain.headSnapshot.checkInvariants(catalog)
        chain.destroy(catalog)
    }

    /// Verifies the pages with wrong statements about the rows whose primary keys ascend.
    private func checkForgedOrder(_ root: TableRoot, _ catalog: Catalog, _ pages: MemoryPages) {
        guard root.ascending.count > 1 else { return }
        func reasons(_ forge: (inout AscendingRows) -> Void) -> [String] {
            var (forged, reasons) = (root, [String]())
            forge(&forged.ascending)
            var verifier = PageVerifier(catalog, read: pages.page(at:)) { reasons.append($1) }
            verifier.verify(forged)
            return reasons
        }
        XCTAssertEqual(reasons { _ in }, [])
        // An index that has not as many keys as it should is reported, too.
        func assertSaid(_ words: String, line: UInt = #line, _ forge: (inout AscendingRows) -> Void) {
            let reasons = reasons(forge).filter { $0.contains("ascend") }
            XCTAssertEqual(reasons.count, 1, line: line)
            XCTAssert(reasons.first?.contains(words) ?? false, "\(reasons)", line: line)
        }
        assertSaid("do not ascend within their bounds") { $0.greatest = $0.least }
        assertSaid("do not ascend within their bounds") { $0.least = $0.greatest }
        assertSaid("not as many rows") { $0.count -= 1 }
        assertSaid("not as many rows") { $0.end = 1 }
    }

    /// Rows whose primary keys have changed places, in a file that says that they ascend.
    func testPrimaryKeysThatDoNotAscendAreFoundByVerifying() throws {
        for (keys, isSound) in [([1, 5, 9, 12], true), ([1, 9, 5, 12], false), ([1, 5, 5, 12], false)] {
            var catalog = Catalog()
            // The column is no primary key while the rows are made, so that any values can be.
            let column = ColumnSpec(name: "key", kind: .word)
            catalog.define(catalog.declare("Row", isEmbedded: false), columns: [column])
            let heap = Heap()
            var chain = VersionChain(heap: heap)
            let reader = ReaderState.allocate()
            defer { reader.deallocate() }
            let transaction = WriteTransaction(
                id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            for key in keys { transaction.set(.word(UInt64(key)), 0, transaction.insert(into: 0), 0) }
            let changes = transaction.changeSet()
            _ = chain.append(transaction.commit(changes))
            var writer = PageWriter(MemoryPages(), chunkSize: 1 << 14, isCopy: true)
            var root = try writer.write(chain.headSnapshot, catalog)[0]
            chain.destroy(catalog)
            var primary = Catalog()
            primary.define(
                primary.declare("Row", isEmbedded: false),
                columns: [ColumnSpec(name: "key", kind: .word, isPrimaryKey: true)])
            root.indexes = [0]
            (root.ascending.end, root.ascending.count) = (5, 4)
            (root.ascending.least, root.ascending.greatest) = (1, 12)
            var reasons: [String] = []
            var verifier = PageVerifier(primary, read: writer.destination.page(at:)) { reasons.append($1) }
            verifier.verify(root)
            let expected = "primary keys that are found by their order do not ascend within their bounds"
            XCTAssertEqual(reasons, isSound ? [] : [expected], "\(keys)")
        }
    }

    private func check(_ snapshot: Snapshot, _ model: [CellGroup: ObjectKey], _ spec: TableSpec) {
        let table = snapshot.table(0)
        XCTAssertEqual(table.count, model.count)
        for (group, key) in model {
            let cell = group.cells[0]
            XCTAssertEqual(table.keys(where: 1, equals: cell, spec), [key])
            XCTAssertEqual(
                table.firstKey(index: 0, column: 1, kind: spec.columns[1].kind, equals: cell), key)
            XCTAssertTrue(table.isIndexed(key, where: 1, equals: cell, spec))
            XCTAssertGreaterThan(table.candidateCount(where: 1, equals: cell, spec), 0)
            XCTAssertEqual(table.cell(key, 1, spec.columns[1].kind), cell)
        }
    }

    func testWords() { run(.word, isOptional: false) { .word(UInt64($0.below(400))) } }

    /// Keys that a program counts up, with gaps and deletions of the last one; later also keys that were used before.
    func testAscendingWords() {
        var used = [-300]
        let ascending = run(.word, isOptional: true) { random in
            if random.chance(30) {
                let isLater = used.count > 1200 && random.chance(50)
                return .word(
                    UInt64(bitPattern: Int64(isLater ? used.randomElement(using: &random)! : used.last!)))
            }
            used.append(used.last! + (random.chance(80) ? 1 : 1 + random.below(1000)))
            return .word(UInt64(bitPattern: Int64(used.last!)))
        }
        XCTAssertGreaterThan(ascending, 30)
    }

    /// Values at the ends of 64 bits, between which differences overflow and doubles are equal.
    func testExtremeWords() {
        var step: Int64 = 0
        run(.word, isOptional: false) { random in
            if random.chance(60) { step += 1 }
            let parts: [Int64] = [.min + step, step - 500, (1 << 62) + step, .max - 5000 + step]
            return .word(UInt64(bitPattern: parts[min(Int(step) / 400, 3)] &- Int64(random.below(4))))
        }
    }

    func testOptionalWords() {
        run(.word, isOptional: true) { $0.chance(5) ? .null : .word(UInt64($0.below(100))) }
    }

    func testWideValues() { run(.wide, isOptional: true) { .wide(UInt64($0.below(9)), UInt64($0.below(9))) } }

    func testStrings() {
        run(.string, isOptional: true) { random in
            let text = String(repeating: "é", count: random.below(12)) + "\(random.below(20))"
            return random.chance(5) ? .null : .string(text)
        }
    }
}
