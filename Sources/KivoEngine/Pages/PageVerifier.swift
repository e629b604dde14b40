/// A check of all pages of a checkpoint, one path at a time. Each page is read, checked and compared with its parent's
/// description, as when it is loaded. Only the offsets of the pages are retained.
///
/// Rows whose primary keys are said to ascend are compared with each other: that order is their index. It does not check that links
/// lead to rows, nor that a hash index has the keys of the rows with its values.
package struct PageVerifier {
    /// A closure that returns the bytes of a page whose checksum is right. The verifier deallocates them.
    private let read: (_ offset: Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer
    /// Called with the offset of a damaged page and a description of the damage.
    private let report: (_ offset: Int, _ reason: String) -> Void
    private let catalog: Catalog
    private let heap = Heap()
    /// The number of pages read.
    package private(set) var pageCount = 0
    /// The number of objects found, without derived rows.
    package private(set) var objectCount = 0

    /// The rows of the table whose primary keys ascend, while the table is verified.
    private var ascending: AscendingRowsCheck?

    /// The offsets of the pages read. Each page has one parent.
    private var seen: Set<Int> = []

    /// Creates a verifier of the pages of a file.
    package init(
        _ catalog: Catalog, read: @escaping (Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer,
        report: @escaping (Int, String) -> Void
    ) {
        self.catalog = catalog
        self.read = read
        self.report = report
    }

    /// Verifies the pages of one table.
    package mutating func verify(_ root: TableRoot) {
        ascending = catalog.tables[root.table].primaryColumn.map { AscendingRowsCheck(root.ascending, $0) }
        if root.root != 0 { _ = verify(root.root, .tree(ExpectedTreeNode(root))) }
        if let reason = ascending?.reasonAtEnd { report(root.root, reason) }
        ascending = nil
        let primary = catalog.tables[root.table].primaryIndex
        for (ordinal, index) in root.indexes.enumerated() {
            let count = index == 0 ? 0 : verify(index, .index(ExpectedIndexNode(root, ordinal)))
            let ascending = ordinal == primary ? root.ascending.count : 0
            if let count, count + ascending != root.count {
                report(index, "an index has not as many keys as there are rows")
            }
        }
    }

    /// Reads a page and all pages below it. Returns the number of elements of a sequence or of keys in an index, or nil if it is
    /// unknown.
    private mutating func verify(_ offset: Int, _ expected: PageExpectation) -> Int? {
        guard let page = contents(offset, expected) else { return nil }
        if case .tree(let expected) = expected, !catalog.tables[Int(expected.table)].isDerived {
            objectCount += page.count
        }
        var sum: Int? = page.count
        for child in page.references {
            let count = verify(child.offset, child.expected)
            // The node of a sequence already contains the number of elements below it.
            if case .index = expected { sum = sum.flatMap { sum in count.map { sum + $0 } } }
        }
        return sum
    }

    /// Reads a page. Returns nil if it is damaged, which is reported.
    private mutating func contents(_ offset: Int, _ expected: PageExpectation) -> PageContents? {
        do throws(PageFlaw) {
            guard seen.insert(offset).inserted else { throw PageFlaw("several others lead to it") }
            let bytes = try read(offset)
            defer { bytes.deallocate() }
            pageCount += 1
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: 0, offset: offset), expected, catalog, heap
            )
            var reason: String?
            let contents = try reader.contents { leaf in reason = ascending?.check(leaf) }
            if let reason { report(offset, reason) }
            return contents
        } catch {
            report(offset, error.description)
            return nil
        }
    }
}
