import TestRandomness
import XCTest

@testable import KivoEngine

/// Pages that are not as what leads to them says, although their checksums are right.
final class PageExpectationTests: XCTestCase {
    private var roots: [TableRoot] = []
    private var pages = MemoryPages()

    override func setUp() {
        let store = TestStore(TestRandom("PageExpectationTests"))
        for _ in 0..<TestEffort.count(15, full: 40) { store.transact(operations: 60, cancelling: 0) }
        var writer = PageWriter(pages, isCopy: true)
        do throws(PageFlaw) {
            roots = try writer.write(store.chain.headSnapshot, TestCatalog.catalog)
        } catch {
            XCTFail(error.description)
        }
        pages = writer.destination
        store.destroy()
    }

    private let catalog = TestCatalog.catalog(takingNull: true)

    /// Returns the flaws in the pages of all tables.
    private func flaws(_ catalog: Catalog? = nil, _ roots: [TableRoot]? = nil) -> [String] {
        var flaws: [String] = []
        var verifier = PageVerifier(catalog ?? self.catalog, read: pages.page(at:)) { flaws.append($1) }
        for root in roots ?? self.roots { verifier.verify(root) }
        return flaws
    }

    private func flaw(_ offset: Int, _ expected: PageExpectation) -> String? {
        guard let bytes = try? pages.page(at: offset) else { return "there is no page" }
        defer { bytes.deallocate() }
        let heap = Heap()
        defer { XCTAssertEqual(heap.liveBlockCount, 0) }
        var reader = PageReader(
            UnsafeRawBufferPointer(bytes), PageReference(file: 1, offset: offset), expected,
            catalog, heap)
        do throws(PageFlaw) {
            _ = try reader.contents()
            return nil
        } catch { return error.description }
    }

    func testWhatIsWritten() { XCTAssertEqual(flaws(), []) }

    /// Each page is read with what leads to it changed in one detail.
    func testEachPageIsComparedWithItsParent() {
        var count = 0
        let rootCount = roots.reduce(0) { $0 + ($1.root == 0 ? 0 : 1) + $1.indexes.count { $0 != 0 } }
        XCTAssertGreaterThan(rootCount, 0)
        var waiting: [(Int, PageExpectation)] = roots.flatMap { root in
            (root.root == 0 ? [] : [(root.root, .tree(ExpectedTreeNode(root)))])
                + root.indexes.enumerated().filter { $1 != 0 }
                .map { ($1, .index(ExpectedIndexNode(root, $0))) }
        }
        while let (offset, expected) = waiting.popLast() {
            count += 1
            XCTAssertNil(flaw(offset, expected))
            var wrong: [PageExpectation] = []
            switch expected {
            case .tree(var node):
                node.count += 1
                wrong.append(.tree(node))
                (node.count, node.level) = (node.count - 1, node.level + 1)
                wrong.append(.tree(node))
                node.level -= 1
                if node.level == 0 {
                    for (table, prefix, key) in [(1, 0, 0), (0, 1, 0), (0, 0, node.nextKey - 1)] {
                        var other = node
                        other.table += Int32(table)
                        other.prefix += prefix
                        other.nextKey -= key
                        wrong.append(.tree(other))
                    }
                }
            case .sequence(var node):
                node.element = node.element == .string ? .link : .string
                wrong.append(.sequence(node))
                guard case .sequence(var node) = expected, node.total >= 0 else { break }
                node.total -= 1
                wrong.append(.sequence(node))
                (node.total, node.level) = (node.total + 1, node.level + 1)
                wrong.append(.sequence(node))
            case .value(let isString): wrong.append(.value(isString: !isString))
            case .index(var node):
                node.level = 15
                node.prefix = .max >> 4
                wrong.append(.index(node))
            }
            for other in wrong { XCTAssertNotNil(flaw(offset, other), "\(expected) \(other)") }
            guard let bytes = try? pages.page(at: offset) else { return XCTFail("there is no page") }
            defer { bytes.deallocate() }
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: 1, offset: offset), expected,
                catalog, Heap())
            if case .value = expected { continue }
            waiting += (try? reader.contents())?.references.map { ($0.offset, $0.expected) } ?? []
        }
        XCTAssertGreaterThanOrEqual(count, rootCount)
    }

    /// A null where there can be none was taken for a string.
    func testNullsInRequiredColumns() {
        let catalog = TestCatalog.catalog(takingNull: false)
        XCTAssert(flaws(catalog).contains("a required value is null"))
    }

    func testCountsOfTheCheckpoint() {
        for index in roots.indices where roots[index].root != 0 {
            var roots = roots
            roots[index].count += 1
            XCTAssertNotEqual(flaws(catalog, roots), [])
        }
    }

    /// A page that had two parents would be freed by one of them.
    func testPagesOfSeveralParents() {
        XCTAssert(flaws(catalog, roots + roots).contains("several others lead to it"))
    }

    /// A larger page than one may be is not written; what was written before is valid.
    func testPagesThatAreTooLarge() {
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
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
        // If references do not fit, the values are in the page of their rows.
        let (needed, words) = PageReference.fitsAddress ? (9100, "a page of 9") : (17_300, "a page of 17")
        for (limit, isWritten) in [(8000, false), (9000, false), (needed, true)] {
            var writer = PageWriter(MemoryPages(), largestPage: limit, isCopy: true)
            do throws(PageFlaw) {
                roots = try writer.write(chain.headSnapshot, catalog)
                XCTAssert(isWritten)
                pages = writer.destination
                XCTAssertEqual(flaws(catalog), [])
            } catch {
                XCTAssertFalse(isWritten)
                XCTAssert(error.description.hasPrefix(words), error.description)
            }
        }
        chain.destroy(catalog)
    }
}
