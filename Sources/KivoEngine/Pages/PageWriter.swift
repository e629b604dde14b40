/// An error: a node or a value needs a larger page than the format allows.
package struct PageTooLarge: Error, CustomStringConvertible {
    /// The number of bytes that the page would have.
    package let length: Int

    /// The error in words.
    package var description: String {
        "a page of \(length) bytes would be larger than one can be: a value, or the elements of a set, are too large"
    }
}

/// The file into which ``PageWriter`` writes pages.
package protocol PageDestination {
    /// The type of errors from writing: errors of the file, and the writer's own errors as converted by ``failure(_:)``.
    associatedtype Failure: Error

    /// Converts a ``PageTooLarge`` or a ``PageFlaw`` into an error of the destination.
    static func failure(_ error: some Error & CustomStringConvertible) -> Failure

    /// The number of the file, for ``PageReference``.
    var file: Int { get }

    /// Returns the current location of a page, which may have been moved. A page in a file other than this one is copied. Returns
    /// nil for a page of a file that was abandoned before anything referred to it.
    func current(_ page: PageReference) -> PageReference?

    /// Returns the bytes of a page of another file.
    func bytes(of page: PageReference) throws(Failure) -> [UInt8]

    /// Writes pages into the file, with their checksums. Returns the offset.
    mutating func append(_ chunk: PageChunk) throws(Failure) -> Int

    /// Whether nodes that are the same as a page can be evicted, so that they are noted.
    var notesNodes: Bool { get }

    /// Notes that a node in memory is the same as a page that was written, and can be evicted.
    func note(_ node: EvictableNode, at offset: Int)
}

extension PageDestination {
    /// False: no node is noted.
    package var notesNodes: Bool { false }

    /// Notes nothing.
    package func note(_ node: EvictableNode, at offset: Int) {}
}

#if !hasFeature(Embedded)
extension PageDestination where Failure == any Error {
    /// Returns the error itself.
    package static func failure(_ error: some Error & CustomStringConvertible) -> Failure { error }
}
#endif

/// A writer of the parts of a snapshot that a file does not contain yet: the nodes created since the last checkpoint, children
/// first. O(these nodes).
///
/// The owner of a written node becomes the reference to its page, which marks the node as identical to the page. If the file is a
/// copy for other use, all nodes are written and their owners stay unchanged.
package struct PageWriter<Destination: PageDestination> {
    /// The file that receives the pages.
    package private(set) var destination: Destination
    let chunk = PageChunk()
    /// The number of bytes that are written at once.
    private let chunkSize: Int
    /// The size of the largest page that is written. Readers reject larger ones.
    private let largestPage: Int
    private let isCopy: Bool
    /// Whether rows of Kivo itself are not written.
    private let leavesOutInternalTables: Bool
    /// The offsets of the chunks so far, except the current one, which is not written yet.
    private var offsets: [Int] = []
    /// The pages that were copied from other files.
    private var copied: [PageReference: Location] = [:]

    /// The current or future location of a page.
    enum Location {
        case nowhere
        case at(Int)
        case inChunk(Int, offset: Int)
    }

    /// Creates a writer into a file.
    package init(
        _ destination: Destination, chunkSize: Int = 1 << 18, largestPage: Int = PageLayout.largestPage,
        isCopy: Bool = false, leavesOutInternalTables: Bool = false
    ) {
        self.destination = destination
        self.chunkSize = chunkSize
        self.largestPage = largestPage
        self.isCopy = isCopy
        self.leavesOutInternalTables = leavesOutInternalTables
    }

    /// Writes the new parts of a snapshot. Returns its tables, by number.
    ///
    /// - Throws: ``PageTooLarge``, before such a page is written; errors of the destination. Everything written before the error
    ///   stays valid, and the next writer continues with it.
    package mutating func write(_ snapshot: Snapshot, _ catalog: Catalog) throws(Destination.Failure)
        -> [TableRoot]
    {
        var roots: [(TableRoot, root: Location, indexes: [Location])] = []
        for table in catalog.tables.indices {
            if leavesOutInternalTables, catalog.tables[table].isInternal { continue }
            guard let header = snapshot.table(table).header else { continue }
            var description = TableRoot(
                table: table, count: header.count, nextKey: header.nextKey,
                height: header.count == 0 ? 0 : header.height, hashSeed: header.hashSeed)
            description.ascending = header.ascending
            let root =
                header.count == 0
                ? Location.nowhere
                : try writePages(
                    ofTree: header.rootSlot, ExpectedTreeNode(description), catalog.tables[table])
            var indexes: [Location] = []
            for index in 0..<header.indexCount {
                indexes.append(
                    try writePages(ofIndex: header.indexes + index, ExpectedIndexNode(description, index)))
            }
            roots.append((description, root, indexes))
        }
        try flush()
        return roots.map { description, root, indexes in
            var description = description
            description.root = offset(of: root)
            description.indexes = indexes.map(offset)
            return description
        }
    }

    /// The locations of the pages that were copied from other files. Valid when all pages are written.
    package var copiedOffsets: [PageReference: Int] { copied.mapValues(offset) }

    // MARK: Chunks

    private func offset(of location: Location) -> Int {
        switch location {
        case .nowhere: 0
        case .at(let offset): offset
        case .inChunk(let chunk, let start): offsets[chunk] + start
        }
    }

    private mutating func flush() throws(Destination.Failure) {
        if chunk.count == 0 { return }
        let offset = try destination.append(chunk)
        offsets.append(offset)
        // Only after the chunk was written, so that no node refers to a page that failed to be written.
        // Roots before the leaves that they are a part of: a leaf can be evicted as soon as it is noted, and its roots with it.
        for root in chunk.roots where !isCopy { root.nodeOwner = PageReference.partOfPage }
        for written in chunk.nodes where !isCopy {
            written.node.nodeOwner =
                PageReference(file: destination.file, offset: offset + written.page).owner
            if let node = written.evictable { destination.note(node, at: offset + written.page) }
        }
        for (value, page) in chunk.values where !isCopy {
            value.page = PageReference(file: destination.file, offset: offset + page)
        }
        chunk.removeAll()
    }

    /// Begins a page with its references.
    mutating func begin(
        _ kind: PageLayout.Kind, _ references: [Location], doublesLengths: Bool = false
    ) -> Int {
        let start = chunk.begin(kind, references: references.count, doublesLengths: doublesLengths)
        for location in references { write(reference: location) }
        return start
    }

    private mutating func write(reference location: Location) {
        if case .inChunk(let number, let start) = location, number == offsets.count {
            chunk.ownReferences.append(chunk.count)
            chunk.write(word: UInt64(start))
        } else {
            chunk.write(word: UInt64(offset(of: location)))
        }
    }

    mutating func end(
        _ start: Int, _ node: UnsafeMutableRawPointer, _ evictable: EvictableNode? = nil
    ) throws(Destination.Failure) -> Location {
        try check(length: chunk.count - start)
        chunk.nodes.append(WrittenNode(node: node, page: start, evictable: evictable))
        return try end(start)
    }

    private mutating func end(_ start: Int) throws(Destination.Failure) -> Location {
        chunk.end(start)
        let location = Location.inChunk(offsets.count, offset: start)
        if chunk.count >= chunkSize { try flush() }
        return location
    }

    private func check(length: Int) throws(Destination.Failure) {
        guard length <= largestPage - 7 else { throw Destination.failure(PageTooLarge(length: length)) }
    }

    /// Returns the page of a large value, which is written if necessary.
    mutating func writePage(of large: LargeSlot) throws(Destination.Failure) -> Location {
        if let page = large.page {
            guard let page = destination.current(page) else {
                throw Destination.failure(PageFlaw("a page that is in use was abandoned"))
            }
            return try locate(page)
        }
        let value = large.value!
        // A copy ignores the page, as it ignores the owners of nodes.
        if !isCopy, let page = value.page, let current = destination.current(page) {
            return try locate(current)
        }
        try check(length: PageLayout.headerSize + 16 + value.cell.byteCount)
        let start = begin(.value, [])
        chunk.write(byte: large.isString ? 1 : 0)
        chunk.write(value.cell)
        chunk.values.append((value, start))
        return try end(start)
    }

    /// Returns the location of a slot's node if it need not be written; otherwise its address, with the marks of a bucket.
    mutating func existingPage(
        of slot: UnsafeMutableRawPointer
    ) throws(Destination.Failure) -> (location: Location?, node: UnsafeMutableRawPointer?) {
        let word = NodeSlot.load(slot)
        if word == 0 { return (.nowhere, nil) }
        if let page = PageReference(stub: UInt64(word)) {
            guard let page = destination.current(page) else {
                throw Destination.failure(PageFlaw("a page that is in use was abandoned"))
            }
            return (try locate(page), nil)
        }
        let node = UnsafeMutableRawPointer(bitPattern: word & ~NodeSlot.marks)!
        // Owners belong to the checkpoint that another thread may be making while a copy is written.
        if !isCopy, let page = PageReference(owner: node.nodeOwner), let current = destination.current(page) {
            return (try locate(current), nil)
        }
        return (nil, UnsafeMutableRawPointer(bitPattern: word))
    }

    /// Returns the location of a page that was not moved, copying it if it is in another file.
    private mutating func locate(_ page: PageReference) throws(Destination.Failure) -> Location {
        if page.file == destination.file { return .at(page.offset) }
        if let location = copied[page] { return location }
        let bytes = try destination.bytes(of: page)
        var references: [Location] = []
        for offset in bytes.withUnsafeBytes({ PageLayout.references($0) }) {
            references.append(try locate(PageReference(file: page.file, offset: offset)))
        }
        let start = bytes.withUnsafeBytes { chunk.append(page: $0) }
        for (index, reference) in references.enumerated() {
            let slot = start + PageLayout.headerSize + index * 8
            let word: UInt64
            if case .inChunk(let number, let offset) = reference, number == offsets.count {
                chunk.ownReferences.append(slot)
                word = UInt64(offset)
            } else {
                word = UInt64(offset(of: reference))
            }
            chunk.bytes.storeBytes(of: word.littleEndian, toByteOffset: slot, as: UInt64.self)
        }
        let location = Location.inChunk(offsets.count, offset: start)
        copied[page] = location
        if chunk.count >= chunkSize { try flush() }
        return location
    }
}
