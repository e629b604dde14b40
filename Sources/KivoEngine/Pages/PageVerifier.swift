/// Goes through all pages that a checkpoint leads to, one path at a time: each is read, checked, and compared with what leads to
/// it. Nothing is kept of them.
///
/// That links lead to rows, and that an index has the keys of the rows that hold its values, is not checked.
public struct PageVerifier {
    /// The bytes of a page that passed its checksum, which the verifier deallocates.
    private let read: (_ offset: Int) throws -> UnsafeMutableRawBufferPointer
    /// Told of what is wrong with the page at an offset.
    private let report: (_ offset: Int, _ reason: String) -> Void
    private let catalog: Catalog
    private let heap = Heap()
    /// How many bytes of pages there can be.
    private let mostBytes: Int
    private var byteCount = 0
    /// How many pages were read.
    public private(set) var pageCount = 0
    /// How many objects were found, without what is derived from them.
    public private(set) var objectCount = 0

    /// The deepest that an index gets: its hashes have 16 digits.
    private static let deepest = 15

    /// A verifier of the pages of a file that has `size` bytes.
    public init(
        _ catalog: Catalog, size: Int, read: @escaping (Int) throws -> UnsafeMutableRawBufferPointer,
        report: @escaping (Int, String) -> Void
    ) {
        self.catalog = catalog
        self.read = read
        self.report = report
        mostBytes = size
    }

    /// Goes through the pages of one table.
    public mutating func verify(_ root: TableRoot) {
        if root.root != 0 {
            verify(tree: root.root, root, level: root.height, prefix: 0, count: root.count)
        }
        for index in root.indexes {
            let count = index == 0 ? 0 : verify(index: index, level: 0, prefix: 0)
            if let count, count != root.count {
                report(index, "an index has not as many keys as there are rows")
            }
        }
    }

    /// Reads a page; nil if it is damaged, which is reported.
    private mutating func contents(_ offset: Int, _ role: NodeRole) -> PageContents? {
        do {
            let bytes = try read(offset)
            defer { bytes.deallocate() }
            pageCount += 1
            byteCount += bytes.count
            // Pages that several others lead to can make a short file long.
            guard byteCount <= mostBytes else { throw PageFlaw("several others lead to it") }
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: 0, offset: offset),
                catalog, heap)
            return try reader.contents(role)
        } catch {
            report(offset, "\(error)")
            return nil
        }
    }

    private var isTooMuch: Bool { byteCount > mostBytes }

    // MARK: Tables

    private mutating func verify(
        tree offset: Int, _ root: TableRoot, level: Int, prefix: Int, count: Int
    ) {
        guard !isTooMuch, let page = contents(offset, level == 0 ? .leaf : .inner) else { return }
        switch page.node {
        case .inner(let found, let counts):
            guard found == level else { return report(offset, "it is of another level than leads to it") }
            if counts.reduce(0, { $0 + $1.count }) != count {
                report(offset, "there are not as many rows below it as it is said")
            }
            for ((index, below), child) in zip(counts, page.references) {
                let place = prefix << InnerNode.fanoutBits | index
                verify(tree: child.offset, root, level: level - 1, prefix: place, count: below)
            }
        case .leaf(let table, let first, let highest, let found):
            let spec = catalog.tables[root.table]
            guard table == root.table else {
                return report(offset, "it is of another table than leads to it")
            }
            guard first == ObjectKey(prefix) << spec.leafShift, highest < root.nextKey else {
                return report(offset, "it has other keys than lead to it")
            }
            if found != count { report(offset, "it has not as many rows as it is said") }
            if !spec.isDerived { objectCount += found }
            for child in page.references {
                let element = spec.columns[child.place].element ?? .link
                _ = verify(sequence: child.offset, element, level: nil, total: nil)
            }
        default: report(offset, "it is not of the kind that leads to it")
        }
    }

    // MARK: Sequences

    /// Returns the number of elements, or nil if it is not known.
    private mutating func verify(sequence offset: Int, _ element: ElementKind, level: Int?, total: Int?)
        -> Int?
    {
        guard !isTooMuch, let page = contents(offset, .sequence) else { return nil }
        let (found, foundLevel, count): (ElementKind, Int, Int)
        var totals: [Int] = []
        switch page.node {
        case .sequenceLeaf(let kind, let elements): (found, foundLevel, count) = (kind, 0, elements)
        case .sequenceInner(let kind, let height, let below):
            totals = below
            (found, foundLevel, count) = (kind, height, below.reduce(0, +))
        default: return nil
        }
        guard found == element else {
            report(offset, "it has other elements than the column that leads to it")
            return nil
        }
        guard level == nil || level == foundLevel else {
            report(offset, "it is of another level than leads to it")
            return nil
        }
        if let total, total != count { report(offset, "it has not as many elements as it is said") }
        for (total, child) in zip(totals, page.references) {
            _ = verify(sequence: child.offset, element, level: foundLevel - 1, total: total)
        }
        return count
    }

    // MARK: Indexes

    /// Returns the number of keys, or nil if it is not known.
    private mutating func verify(index offset: Int, level: Int, prefix: UInt64) -> Int? {
        guard !isTooMuch, let page = contents(offset, .index) else { return nil }
        var sum: Int? = 0
        func add(_ count: Int?) { sum = count.flatMap { count in sum.map { $0 + count } } }
        if case .bucket(let hashes, let keyCount) = page.node {
            let isAscending = zip(hashes, hashes.dropFirst()).allSatisfy { $0 < $1 }
            let isInPlace = hashes.allSatisfy { level == 0 || $0 >> UInt64(64 - 4 * level) == prefix }
            if !isAscending || !isInPlace { report(offset, "its hashes are not in order") }
            add(keyCount)
            for child in page.references {
                add(verify(sequence: child.offset, .link, level: nil, total: nil))
            }
        } else if level > PageVerifier.deepest {
            report(offset, "an index is too deep")
            return nil
        } else {
            for child in page.references {
                let digit = prefix << 4 | UInt64(child.place)
                add(verify(index: child.offset, level: level + 1, prefix: digit))
            }
        }
        return sum
    }
}
