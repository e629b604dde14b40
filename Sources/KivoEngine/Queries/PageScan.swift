/// Leaves of one table that are scanned in their pages: only the columns of a condition are decoded, into one leaf that has them
/// until the next page is read.
///
/// Owns that leaf and the strings in it. Belongs to one scan.
final class PageScan {
    private let columns: [Int]
    private let catalog: Catalog
    private let window = PageWindow()
    private let heap = Heap()
    private let memory: WriteMemory
    private let leaf: Leaf
    /// The columns in which strings own memory.
    private var owned: Set<Int> = []

    /// Creates a scan of columns, given in ascending order. Returns nil if there are none, or values of a kind that only loaded
    /// nodes have.
    init?(_ columns: [Int], of table: TableID, _ catalog: Catalog) {
        let spec = catalog.tables[table]
        guard !columns.isEmpty, PageReference.fitsAddress else { return nil }
        for column in columns {
            switch spec.layouts[column].kind {
            case .word, .wide, .string, .link: continue
            case .bytes, .any, .sequence, .keySet: return nil
            }
        }
        self.columns = columns
        self.catalog = catalog
        memory = WriteMemory(id: 1, heap: heap)
        leaf = Leaf.make(0, capacity: spec.leafSpan, spec, memory)
    }

    deinit {
        releaseStrings()
        memory.cancel()
    }

    /// Returns a leaf with the rows of a page and their values of the columns, valid until the next call. Returns nil if the node
    /// has to be loaded instead.
    func leaf(_ page: PageReference) -> Leaf? {
        guard let content = PageFiles.file(of: page).pageToScan(at: page.offset, window) else { return nil }
        releaseStrings()
        var reader = PageReader(content.bytes, page, content.expected, catalog, heap)
        // A malformed page is reported when its node is loaded.
        guard let isRead = try? reader.read(columns, into: leaf, owned: &owned), isRead else { return nil }
        return leaf
    }

    private func releaseStrings() {
        for column in owned {
            let buffer = leaf.column(column)
            leaf.occupied.forEach { buffer.ownedBits($0, .string)?.release() }
            buffer.data.initializeMemory(
                as: UInt8.self, repeating: 0, count: buffer.capacity * ColumnKind.string.stride)
        }
        owned.removeAll()
    }
}
