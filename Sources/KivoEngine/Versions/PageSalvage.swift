/// Brings in all rows of a checkpoint whose pages are intact, and says what is lost with those that are not.
///
/// What is derived from rows, indexes and backlinks, is left aside: it can be made anew.
public struct PageSalvage {
    /// A page that could not be read.
    public struct Loss {
        /// Where it is, and what is wrong with it.
        public var offset: Int, reason: String
        /// The table that lost rows, or elements of collections.
        public var table: TableID
        /// The column that lost elements; nil for rows.
        public var column: Int?
        /// How many rows are lost.
        public var rowCount: Int
    }

    private let catalog: Catalog
    private let heap: Heap
    private let read: (_ offset: Int) throws -> UnsafeMutableRawBufferPointer
    private let report: (Loss) -> Void
    private let seen = Seen()

    /// The pages that were read: those that several others lead to could make a short file long.
    private final class Seen {
        var offsets: Set<Int> = []
    }

    /// A salvage of the pages of a file.
    ///
    /// - Parameters:
    ///   - heap: What nodes are made in.
    ///   - read: Returns the bytes of a page that passed its checksum, to be deallocated.
    ///   - report: Told of each page that could not be read.
    public init(
        _ catalog: Catalog, _ heap: Heap, read: @escaping (Int) throws -> UnsafeMutableRawBufferPointer,
        report: @escaping (Loss) -> Void
    ) {
        (self.catalog, self.heap, self.read, self.report) = (catalog, heap, read, report)
    }

    /// A chain of one version with the rows of some tables. O(everything); all of it is in memory then.
    public func chain(_ roots: [TableRoot]) -> VersionChain {
        VersionChain(heap: heap, tables: catalog.tables.count) { snapshot, memory in
            for root in roots where !catalog.tables[root.table].isDerived {
                let header = TableHeader.make(catalog.tables[root.table], memory)
                (header.nextKey, header.height) = (root.nextKey, root.height)
                if root.root != 0,
                    let tree = tree(root.root, root, level: root.height, prefix: 0, count: root.count)
                {
                    header.root = tree.node
                    header.count = tree.count
                }
                snapshot.headers[root.table] = header.base
            }
        }
    }

    /// A node of a page with empty slots, if it is what it should be.
    private func loose(
        _ offset: Int, _ role: NodeRole, _ flaw: (PageContents.Node) -> String?
    ) throws -> (
        node: UnsafeMutableRawPointer, contents: PageContents.Node, references: [PageContents.Reference]
    ) {
        guard seen.offsets.insert(offset).inserted else { throw PageFlaw("several others lead to it") }
        let bytes = try read(offset)
        defer { bytes.deallocate() }
        var reader = PageReader(
            UnsafeRawBufferPointer(bytes), PageReference(file: 0, offset: offset), catalog, heap)
        do {
            let (node, kind, references) = try reader.looseNode(role)
            let contents = reader.contents(of: node, kind)
            if let flaw = flaw(contents) {
                reader.giveUpValues(of: node, kind)
                throw PageFlaw(flaw)
            }
            _ = reader.memory.commit()
            return (node, contents, references)
        } catch {
            reader.memory.cancel()
            throw error
        }
    }

    // MARK: Tables

    private func tree(
        _ offset: Int, _ root: TableRoot, level: Int, prefix: Int, count: Int
    ) -> (node: UnsafeMutableRawPointer, count: Int)? {
        do {
            if level == 0 { return try leaf(offset, root, prefix: prefix) }
            let page = try loose(offset, .inner) { node in
                if case .inner(level, _) = node { nil } else { "it is of another level than leads to it" }
            }
            let inner = InnerNode(base: page.node)
            var sum = 0
            for child in page.references {
                let found = tree(
                    child.offset, root, level: level - 1,
                    prefix: prefix << InnerNode.fanoutBits | child.place,
                    count: Int(inner.counts[child.place]))
                inner.counts[child.place] = UInt32(found?.count ?? 0)
                inner.children[child.place] = found?.node
                sum += found?.count ?? 0
            }
            return (page.node, sum)
        } catch {
            report(
                Loss(offset: offset, reason: "\(error)", table: root.table, column: nil, rowCount: count))
            return nil
        }
    }

    private func leaf(
        _ offset: Int, _ root: TableRoot, prefix: Int
    ) throws -> (node: UnsafeMutableRawPointer, count: Int) {
        let spec = catalog.tables[root.table]
        let page = try loose(offset, .leaf) { node in
            guard case .leaf(root.table, let first, let highest, _) = node else {
                return "it is of another table than leads to it"
            }
            return first == ObjectKey(prefix) << spec.leafShift && highest < root.nextKey
                ? nil : "it has other keys than lead to it"
        }
        for child in page.references {
            let element = spec.columns[child.place].element ?? .link
            let sequence = sequence(child.offset, element, level: nil, root.table, child.place)
            child.slot.storeBytes(of: UInt64(UInt(bitPattern: sequence?.base)), as: UInt64.self)
        }
        return (page.node, Leaf(base: page.node).occupied.count)
    }

    // MARK: Sequences

    private func sequence(
        _ offset: Int, _ element: ElementKind, level: Int?, _ table: TableID, _ column: Int
    ) -> SequenceNode? {
        do {
            let page = try loose(offset, .sequence) { node in
                let (found, foundLevel) =
                    switch node {
                    case .sequenceInner(let kind, let height, _): (kind, height)
                    case .sequenceLeaf(let kind, _): (kind, 0)
                    default: (element, -1)
                    }
                return found == element && (level ?? foundLevel) == foundLevel
                    ? nil : "it is of other elements, or of another level, than lead to it"
            }
            let node = SequenceNode(base: page.node)
            if node.isLeaf { return node }
            let children = page.references.compactMap {
                sequence($0.offset, element, level: node.level - 1, table, column)
            }
            (node.count, node.total) = (0, 0)
            for (index, child) in children.enumerated() {
                node.insertChild(child, at: index)
                node.total += child.total
            }
            if !children.isEmpty { return node }
            heap.free(node.base)
            return nil
        } catch {
            report(
                Loss(offset: offset, reason: "\(error)", table: table, column: column, rowCount: 0))
            return nil
        }
    }
}
