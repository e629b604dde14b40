/// A recovery of all rows of a checkpoint whose pages are intact, with a report of the losses on the other pages.
///
/// Indexes and backlinks are skipped, because they can be derived from the rows again.
package struct PageSalvage {
    /// A page that could not be read.
    package struct Loss {
        /// The offset of the page, and a description of the damage.
        package var offset: Int, reason: String
        /// The table that lost rows, elements of collections, or values.
        package var table: TableID
        /// The column that lost elements or a value; nil for rows.
        package var column: Int?
        /// The number of rows lost.
        package var rowCount: Int
    }

    private let catalog: Catalog
    private let heap: Heap
    private let read: (_ offset: Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer
    private let report: (Loss) -> Void
    private let seen = Seen()

    /// The pages that were read. If several pages could refer to one, a short file could expand to a large one.
    private final class Seen {
        var offsets: Set<Int> = []
    }

    /// Creates a salvage of the pages of a file.
    ///
    /// - Parameters:
    ///   - heap: The heap of the nodes.
    ///   - read: Returns the bytes of a page whose checksum is right. The salvage deallocates them.
    ///   - report: Called for each page that could not be read.
    package init(
        _ catalog: Catalog, _ heap: Heap,
        read: @escaping (Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer,
        report: @escaping (Loss) -> Void
    ) {
        (self.catalog, self.heap, self.read, self.report) = (catalog, heap, read, report)
    }

    /// Creates a chain of one version with the rows of some tables. O(everything); all of it is loaded into memory.
    package func chain(_ roots: [TableRoot]) -> VersionChain {
        VersionChain(heap: heap, tables: catalog.tables.count) { snapshot, memory in
            for root in roots where !catalog.tables[root.table].isDerived {
                let header = TableHeader.make(catalog.tables[root.table], memory)
                (header.nextKey, header.height) = (root.nextKey, root.height)
                if root.root != 0,
                    let tree = tree(root.root, ExpectedTreeNode(root), count: root.count)
                {
                    header.root = tree.node
                    header.count = tree.count
                }
                snapshot.headers[root.table] = header.base
            }
        }
    }

    /// Reads the node of a page, and leaves its slots for children empty. Throws if the page is not as expected.
    private func readNode(
        _ offset: Int, _ expected: PageExpectation
    ) throws(PageFlaw) -> (node: UnsafeMutableRawPointer, references: [PageContents.Reference]) {
        guard seen.offsets.insert(offset).inserted else { throw PageFlaw("several others lead to it") }
        let bytes = try read(offset)
        defer { bytes.deallocate() }
        var reader = PageReader(
            UnsafeRawBufferPointer(bytes), PageReference(file: 0, offset: offset), expected, catalog, heap,
            replacingNulls: true)
        do throws(PageFlaw) {
            let (node, _) = try reader.unlinkedNode()
            _ = reader.memory.commit()
            return (node, reader.references)
        } catch {
            reader.memory.cancel()
            throw error
        }
    }

    // MARK: Tables

    /// - Parameter count: the number of rows below, according to the parent.
    private func tree(
        _ offset: Int, _ expected: ExpectedTreeNode, count: Int
    ) -> (node: UnsafeMutableRawPointer, count: Int)? {
        do throws(PageFlaw) {
            // Inconsistent counts are no reason to lose rows.
            var expected = expected
            expected.count = PageExpectation.unknown
            if expected.level == 0 { return try leaf(offset, expected) }
            let page = try readNode(offset, .tree(expected))
            let inner = InnerNode(base: page.node)
            var sum = 0
            for child in page.references {
                guard case .tree(let expected) = child.expected else { continue }
                let subtree = tree(child.offset, expected, count: Int(inner.counts[child.entryIndex]))
                inner.counts[child.entryIndex] = UInt32(subtree?.count ?? 0)
                inner.children[child.entryIndex] = subtree?.node
                sum += subtree?.count ?? 0
            }
            return (page.node, sum)
        } catch {
            report(
                Loss(
                    offset: offset, reason: error.description, table: Int(expected.table), column: nil,
                    rowCount: count)
            )
            return nil
        }
    }

    private func leaf(
        _ offset: Int, _ expected: ExpectedTreeNode
    ) throws(PageFlaw) -> (node: UnsafeMutableRawPointer, count: Int) {
        let page = try readNode(offset, .tree(expected))
        for child in page.references {
            guard case .sequence(let sequence) = child.expected else {
                value(child, Int(expected.table), child.entryIndex)
                continue
            }
            let root = self.sequence(child.offset, sequence, Int(expected.table), child.entryIndex)
            child.slot.storeBytes(of: UInt64(UInt(bitPattern: root?.base)), as: UInt64.self)
        }
        return (page.node, Leaf(base: page.node).occupied.count)
    }

    // MARK: Sequences

    private func sequence(
        _ offset: Int, _ expected: ExpectedSequenceNode, _ table: TableID, _ column: Int
    ) -> SequenceNode? {
        do throws(PageFlaw) {
            var expected = expected
            expected.total = PageExpectation.unknown
            let page = try readNode(offset, .sequence(expected))
            let node = SequenceNode(base: page.node)
            if node.isLeaf {
                for child in page.references { value(child, table, column) }
                return node
            }
            let children = page.references.compactMap { child -> SequenceNode? in
                guard case .sequence(let expected) = child.expected else { return nil }
                return sequence(child.offset, expected, table, column)
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
                Loss(offset: offset, reason: error.description, table: table, column: column, rowCount: 0))
            return nil
        }
    }

    // MARK: Values

    /// Reads a large value and replaces the empty placeholder.
    private func value(_ reference: PageContents.Reference, _ table: TableID, _ column: Int) {
        guard case .value = reference.expected else { return }
        do throws(PageFlaw) {
            guard seen.offsets.insert(reference.offset).inserted else {
                throw PageFlaw("several others lead to it")
            }
            let bytes = try read(reference.offset)
            defer { bytes.deallocate() }
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: 0, offset: reference.offset),
                reference.expected, catalog, heap)
            // The placeholder owns nothing, and the other words of an element keep their values.
            reference.store(try reader.value())
        } catch {
            report(
                Loss(
                    offset: reference.offset, reason: error.description, table: table, column: column,
                    rowCount: 0))
        }
    }
}
