/// Goes through all pages that a checkpoint leads to, one path at a time: each is read, checked, and compared with what leads to
/// it, as when it is brought in. Nothing is kept of them but where they are.
///
/// That links lead to rows, and that an index has the keys of the rows that hold its values, is not checked.
public struct PageVerifier {
    /// The bytes of a page that passed its checksum, which the verifier deallocates.
    private let read: (_ offset: Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer
    /// Told of what is wrong with the page at an offset.
    private let report: (_ offset: Int, _ reason: String) -> Void
    private let catalog: Catalog
    private let heap = Heap()
    /// How many pages were read.
    public private(set) var pageCount = 0
    /// How many objects were found, without what is derived from them.
    public private(set) var objectCount = 0

    /// The pages that were read. Each has one parent.
    private var seen: Set<Int> = []

    /// A verifier of the pages of a file.
    public init(
        _ catalog: Catalog, read: @escaping (Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer,
        report: @escaping (Int, String) -> Void
    ) {
        self.catalog = catalog
        self.read = read
        self.report = report
    }

    /// Goes through the pages of one table.
    public mutating func verify(_ root: TableRoot) {
        if root.root != 0 { _ = verify(root.root, .tree(TreePlace(root))) }
        for index in root.indexes {
            let count = index == 0 ? 0 : verify(index, .index(IndexPlace(root)))
            if let count, count != root.count {
                report(index, "an index has not as many keys as there are rows")
            }
        }
    }

    /// Reads a page and all below it. Returns the number of elements of a sequence or of keys in an index; nil if it is not known.
    private mutating func verify(_ offset: Int, _ expected: PageExpectation) -> Int? {
        guard let page = contents(offset, expected) else { return nil }
        if case .tree(let place) = expected, !catalog.tables[Int(place.table)].isDerived {
            objectCount += page.count
        }
        var sum: Int? = page.count
        for child in page.references {
            let count = verify(child.offset, child.expected)
            // The number of elements below a node of a sequence is known from the node.
            if case .index = expected { sum = sum.flatMap { sum in count.map { sum + $0 } } }
        }
        return sum
    }

    /// Reads a page; nil if it is damaged, which is reported.
    private mutating func contents(_ offset: Int, _ expected: PageExpectation) -> PageContents? {
        do throws(PageFlaw) {
            guard seen.insert(offset).inserted else { throw PageFlaw("several others lead to it") }
            let bytes = try read(offset)
            defer { bytes.deallocate() }
            pageCount += 1
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: 0, offset: offset), expected, catalog, heap
            )
            return try reader.contents()
        } catch {
            report(offset, error.description)
            return nil
        }
    }
}
