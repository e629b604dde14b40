extension VersionChain {
    /// Creates a chain of one version, number 1: the tables of a checkpoint. Their nodes are loaded from a file on first access.
    /// O(tables).
    package init(heap: Heap, restoring roots: [TableRoot], of file: Int, _ catalog: Catalog) {
        self.init(heap: heap, tables: catalog.tables.count) { snapshot, memory in
            for root in roots {
                let header = TableHeader.make(catalog.tables[root.table], memory)
                (header.count, header.nextKey, header.height) = (root.count, root.nextKey, root.height)
                header.hashSeed = root.hashSeed
                NodeSlot.expect(.tree(ExpectedTreeNode(root)), header.rootSlot, at: root.root, of: file)
                for (ordinal, index) in root.indexes.enumerated() {
                    NodeSlot.expect(
                        .index(ExpectedIndexNode(root)), header.indexes + ordinal, at: index, of: file)
                }
                snapshot.headers[root.table] = header.base
            }
        }
    }
}

extension NodeSlot {
    /// Makes a root slot refer to a page, and registers the table's expectation of the page. An offset of 0 means none.
    fileprivate static func expect(
        _ page: PageExpectation, _ slot: UnsafeMutableRawPointer, at offset: Int, of file: Int
    ) {
        if offset != 0 {
            PageFiles.file(of: PageReference(file: file, offset: offset)).expect(page, at: offset)
        }
        refer(slot, to: offset, of: file, page.role)
    }

    /// Makes an unshared slot refer to a page. An offset of 0 means none.
    static func refer(_ slot: UnsafeMutableRawPointer, to offset: Int, of file: Int, _ role: NodeRole) {
        var word: UInt = 0
        if offset != 0 {
            let page = PageReference(file: file, offset: offset)
            #if _pointerBitWidth(_64)
            word = UInt(page.stub)
            #else
            // A reference does not fit in place of an address, so everything is loaded at once.
            word = UInt(bitPattern: PageFiles.file(of: page).node(at: offset, role))
            #endif
        }
        slot.storeBytes(of: word, as: UInt.self)
    }
}
