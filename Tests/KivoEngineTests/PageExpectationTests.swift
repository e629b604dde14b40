import XCTest

@testable import KivoEngine

/// Pages that are not as what leads to them says, although their checksums are right.
final class PageExpectationTests: XCTestCase {
    /// Pages in memory, one after the other.
    private struct MemoryPages: PageDestination {
        var bytes = [UInt8](repeating: 0, count: 8)
        var file: Int { 1 }
        func current(_ page: PageReference) -> PageReference? { page }
        func bytes(of page: PageReference) throws -> [UInt8] { throw PageFlaw("there is no other file") }
        mutating func append(_ chunk: PageChunk) throws -> Int {
            let offset = bytes.count
            chunk.place(at: offset)
            bytes += chunk.bytes
            return offset
        }

        func page(at offset: Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer {
            let length = bytes[offset...].withUnsafeBytes { PageLayout.length($0)! }
            let page = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
            page.copyBytes(from: bytes[offset..<offset + length])
            return page
        }
    }

    private var roots: [TableRoot] = []
    private var pages = MemoryPages()

    override func setUpWithError() throws {
        let store = TestStore(TestRandom("PageExpectationTests"))
        for _ in 0..<40 { store.transact(operations: 60, cancelling: 0) }
        var writer = PageWriter(pages, isCopy: true)
        roots = try writer.write(store.chain.headSnapshot, TestCatalog.catalog)
        pages = writer.destination
        store.destroy()
    }

    /// The catalog of the tests, of which the columns take null, or do not. Random elements are null anywhere.
    private static func catalog(takingNull: Bool) -> Catalog {
        var catalog = Catalog()
        let tables = TestCatalog.catalog.tables.filter { !$0.isDerived }
        for table in tables { _ = catalog.declare(table.name, isEmbedded: table.isEmbedded) }
        for (number, table) in tables.enumerated() {
            var columns = table.columns
            for index in columns.indices { columns[index].isOptional = takingNull }
            catalog.define(number, columns: columns)
        }
        return catalog
    }

    private let catalog = PageExpectationTests.catalog(takingNull: true)

    /// What is wrong with the pages of all tables.
    private func flaws(_ catalog: Catalog? = nil, _ roots: [TableRoot]? = nil) -> [String] {
        var flaws: [String] = []
        var verifier = PageVerifier(catalog ?? self.catalog, read: pages.page(at:)) { flaws.append($1) }
        for root in roots ?? self.roots { verifier.verify(root) }
        return flaws
    }

    private func flaw(_ offset: Int, _ expected: PageExpectation) throws -> String? {
        let bytes = try pages.page(at: offset)
        defer { bytes.deallocate() }
        let heap = Heap()
        defer { XCTAssertEqual(heap.liveBlockCount, 0) }
        var reader = PageReader(
            UnsafeRawBufferPointer(bytes), PageReference(file: 1, offset: offset), expected,
            catalog, heap)
        do {
            _ = try reader.contents()
            return nil
        } catch { return error.description }
    }

    func testWhatIsWritten() { XCTAssertEqual(flaws(), []) }

    /// Each page is read with what leads to it changed in one place.
    func testEachPageIsComparedWithItsParent() throws {
        var count = 0
        let rootCount = roots.reduce(0) { $0 + ($1.root == 0 ? 0 : 1) + $1.indexes.count { $0 != 0 } }
        XCTAssertGreaterThan(rootCount, 0)
        var waiting: [(Int, PageExpectation)] = roots.flatMap { root in
            (root.root == 0 ? [] : [(root.root, .tree(TreePlace(root)))])
                + root.indexes.filter { $0 != 0 }.map { ($0, .index(IndexPlace(root))) }
        }
        while let (offset, expected) = waiting.popLast() {
            count += 1
            XCTAssertNil(try flaw(offset, expected))
            var wrong: [PageExpectation] = []
            switch expected {
            case .tree(var place):
                place.count += 1
                wrong.append(.tree(place))
                (place.count, place.level) = (place.count - 1, place.level + 1)
                wrong.append(.tree(place))
                place.level -= 1
                if place.level == 0 {
                    for (table, prefix, key) in [(1, 0, 0), (0, 1, 0), (0, 0, place.nextKey - 1)] {
                        var other = place
                        other.table += Int32(table)
                        other.prefix += prefix
                        other.nextKey -= key
                        wrong.append(.tree(other))
                    }
                }
            case .sequence(var place):
                place.element = place.element == .string ? .link : .string
                wrong.append(.sequence(place))
                guard case .sequence(var place) = expected, place.total >= 0 else { break }
                place.total -= 1
                wrong.append(.sequence(place))
                (place.total, place.level) = (place.total + 1, place.level + 1)
                wrong.append(.sequence(place))
            case .value(let isString): wrong.append(.value(isString: !isString))
            case .index(var place):
                place.level = 15
                place.prefix = .max >> 4
                wrong.append(.index(place))
            }
            for other in wrong { XCTAssertNotNil(try flaw(offset, other), "\(expected) \(other)") }
            let bytes = try pages.page(at: offset)
            defer { bytes.deallocate() }
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: 1, offset: offset), expected,
                catalog, Heap())
            if case .value = expected { continue }
            waiting += try reader.contents().references.map { ($0.offset, $0.expected) }
        }
        XCTAssertGreaterThanOrEqual(count, rootCount)
    }

    /// A null where there can be none was taken for a string.
    func testNullsInRequiredColumns() throws {
        let catalog = PageExpectationTests.catalog(takingNull: false)
        XCTAssert(flaws(catalog).contains("a required value is null"))
    }

    func testCountsOfTheCheckpoint() throws {
        for place in roots.indices where roots[place].root != 0 {
            var roots = roots
            roots[place].count += 1
            XCTAssertNotEqual(flaws(catalog, roots), [])
        }
    }

    /// A page that had two parents would be freed by one of them.
    func testPagesOfSeveralParents() throws {
        XCTAssert(flaws(catalog, roots + roots).contains("several others lead to it"))
    }

    /// A larger page than one may be is not written; what was written before is valid.
    func testPagesThatAreTooLarge() throws {
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = UnsafeMutablePointer<UInt64>.allocate(capacity: ReaderState.wordCount)
        defer { reader.deallocate() }
        reader.initialize(repeating: 0, count: ReaderState.wordCount)
        var catalog = Catalog()
        let table = catalog.declare("Note", isEmbedded: false)
        catalog.define(table, columns: [ColumnSpec(name: "text", kind: .bytes)])
        let transaction = WriteTransaction(
            id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
        for size in [4096, 4097, 9000] {
            let key = transaction.insert(into: table)
            transaction.set(.bytes(Array(repeating: 1, count: size)), table, key, 0)
        }
        _ = chain.append(transaction.commit(transaction.changeSet()))
        for (limit, isWritten) in [(8000, false), (9000, false), (9100, true)] {
            var writer = PageWriter(MemoryPages(), largestPage: limit, isCopy: true)
            do {
                roots = try writer.write(chain.headSnapshot, catalog)
                XCTAssert(isWritten)
                pages = writer.destination
                XCTAssertEqual(flaws(catalog), [])
            } catch is PageTooLarge {
                XCTAssertFalse(isWritten)
            }
        }
        chain.destroy(catalog)
    }
}
