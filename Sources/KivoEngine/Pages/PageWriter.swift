/// A node or a value that needs a larger page than there can be.
public struct PageTooLarge: Error, CustomStringConvertible {
    /// How many bytes the page would have.
    public let length: Int

    /// The error in words.
    public var description: String {
        "a page of \(length) bytes would be larger than one can be: a value, or the elements of a set, are too large"
    }
}

/// Where ``PageWriter`` puts pages.
public protocol PageDestination {
    /// The errors of writing: those of the file, and those that ``failure(_:)`` makes of the writer's own.
    associatedtype Failure: Error

    /// The error of the destination that stands for a ``PageTooLarge`` or a ``PageFlaw``.
    static func failure(_ error: some Error & CustomStringConvertible) -> Failure

    /// The number of the file, for ``PageReference``.
    var file: Int { get }

    /// Where a page is now, if it was moved. One that is in another file than this is carried over. Nil for a page of a file
    /// that was given up before anything led to it.
    func current(_ page: PageReference) -> PageReference?

    /// The bytes of a page of another file.
    func bytes(of page: PageReference) throws(Failure) -> [UInt8]

    /// Puts pages into the file, with their checksums; returns the offset.
    mutating func append(_ chunk: PageChunk) throws(Failure) -> Int
}

#if !hasFeature(Embedded)
extension PageDestination where Failure == any Error {
    /// The error itself.
    public static func failure(_ error: some Error & CustomStringConvertible) -> Failure { error }
}
#endif

/// Writes what a snapshot has that a file does not have yet: the nodes that were made since the last checkpoint, children
/// first. O(these nodes).
///
/// Nodes whose pages are in the file become the same as these: their owner says so from then on. Unless the file is a copy for
/// somebody else: all nodes are written then, and stay what they are.
public struct PageWriter<Destination: PageDestination> {
    /// Where the pages go.
    public private(set) var destination: Destination
    let chunk = PageChunk()
    /// How many bytes are written at once.
    private let chunkSize: Int
    /// The largest page that is written. Readers refuse larger ones.
    private let largestPage: Int
    private let isCopy: Bool
    /// The offsets of the chunks so far; the last one is not written.
    private var offsets: [Int] = []
    /// The pages that were carried over from other files.
    private var carried: [PageReference: Place] = [:]

    /// Where a page is, or will be.
    enum Place {
        case nowhere
        case at(Int)
        case inChunk(Int, place: Int)
    }

    /// A writer into a file.
    public init(
        _ destination: Destination, chunkSize: Int = 1 << 18, largestPage: Int = PageLayout.largestPage,
        isCopy: Bool = false
    ) {
        self.destination = destination
        self.chunkSize = chunkSize
        self.largestPage = largestPage
        self.isCopy = isCopy
    }

    /// Writes what is new of a snapshot; returns its tables, by number.
    ///
    /// - Throws: ``PageTooLarge``, before such a page is written; what the destination throws. What was written until then stays
    ///   valid, and the next writer goes on with it.
    public mutating func write(_ snapshot: Snapshot, _ catalog: Catalog) throws(Destination.Failure)
        -> [TableRoot]
    {
        var roots: [(TableRoot, root: Place, indexes: [Place])] = []
        for table in catalog.tables.indices {
            guard let header = snapshot.table(table).header else { continue }
            let root = try place(tree: header.rootSlot, level: header.height, table, catalog.tables[table])
            var indexes: [Place] = []
            for index in 0..<header.indexCount { indexes.append(try place(index: header.indexes + index)) }
            let description = TableRoot(
                table: table, count: header.count, nextKey: header.nextKey, height: header.height,
                hashSeed: header.hashSeed)
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

    /// Where the pages of other files are that were carried over. Valid when all is written.
    public var carriedOffsets: [PageReference: Int] { carried.mapValues(offset) }

    // MARK: Chunks

    private func offset(of place: Place) -> Int {
        switch place {
        case .nowhere: 0
        case .at(let offset): offset
        case .inChunk(let chunk, let place): offsets[chunk] + place
        }
    }

    private mutating func flush() throws(Destination.Failure) {
        if chunk.count == 0 { return }
        let offset = try destination.append(chunk)
        offsets.append(offset)
        // Only now: of what could not be written nothing is to be referred to.
        for (node, page) in chunk.nodes where !isCopy {
            node.nodeOwner = PageReference(file: destination.file, offset: offset + page).owner
        }
        for (value, page) in chunk.values where !isCopy {
            value.page = PageReference(file: destination.file, offset: offset + page)
        }
        chunk.removeAll()
    }

    /// Begins a page with its references.
    mutating func begin(_ kind: PageLayout.Kind, _ references: [Place], doublesLengths: Bool = false) -> Int {
        let start = chunk.begin(kind, references: references.count, doublesLengths: doublesLengths)
        for place in references { write(reference: place) }
        return start
    }

    private mutating func write(reference place: Place) {
        if case .inChunk(let number, let start) = place, number == offsets.count {
            chunk.ownReferences.append(chunk.count)
            chunk.write(word: UInt64(start))
        } else {
            chunk.write(word: UInt64(offset(of: place)))
        }
    }

    mutating func end(_ start: Int, _ node: UnsafeMutableRawPointer) throws(Destination.Failure) -> Place {
        try check(length: chunk.count - start)
        chunk.nodes.append((node, start))
        return try end(start)
    }

    private mutating func end(_ start: Int) throws(Destination.Failure) -> Place {
        chunk.end(start)
        let place = Place.inChunk(offsets.count, place: start)
        if chunk.count >= chunkSize { try flush() }
        return place
    }

    private func check(length: Int) throws(Destination.Failure) {
        guard length <= largestPage - 7 else { throw Destination.failure(PageTooLarge(length: length)) }
    }

    /// The page of a large value.
    mutating func place(_ large: LargeSlot) throws(Destination.Failure) -> Place {
        if let page = large.page {
            guard let page = destination.current(page) else {
                throw Destination.failure(PageFlaw("a page was given up that is in use"))
            }
            return try place(page)
        }
        let value = large.value!
        // As with the owners of nodes.
        if !isCopy, let page = value.page, let current = destination.current(page) {
            return try place(current)
        }
        try check(length: PageLayout.headerSize + 16 + value.cell.byteCount)
        let start = begin(.value, [])
        chunk.write(byte: large.isString ? 1 : 0)
        chunk.write(value.cell)
        chunk.values.append((value, start))
        return try end(start)
    }

    /// Where the node of a slot is already, if that does not have to be written; its address if it has to be.
    mutating func known(
        _ slot: UnsafeMutableRawPointer
    ) throws(Destination.Failure) -> (place: Place?, node: UnsafeMutableRawPointer?) {
        let word = NodeSlot.load(slot)
        if word == 0 { return (.nowhere, nil) }
        if let page = PageReference(stub: UInt64(word)) {
            guard let page = destination.current(page) else {
                throw Destination.failure(PageFlaw("a page was given up that is in use"))
            }
            return (try place(page), nil)
        }
        let node = UnsafeMutableRawPointer(bitPattern: word & ~HashIndex.Bucket.marks)!
        // Another thread may make a checkpoint while a copy is written, and owners are its.
        if !isCopy, let page = PageReference(owner: node.nodeOwner), let current = destination.current(page) {
            return (try place(current), nil)
        }
        return (nil, node)
    }

    /// Where a page is that was not moved, which is carried over if it is one of another file.
    private mutating func place(_ page: PageReference) throws(Destination.Failure) -> Place {
        if page.file == destination.file { return .at(page.offset) }
        if let known = carried[page] { return known }
        let bytes = try destination.bytes(of: page)
        var references: [Place] = []
        for offset in bytes.withUnsafeBytes({ PageLayout.references($0) }) {
            references.append(try place(PageReference(file: page.file, offset: offset)))
        }
        let start = bytes.withUnsafeBytes { chunk.append(page: $0) }
        for (index, reference) in references.enumerated() {
            let slot = start + PageLayout.headerSize + index * 8
            let word: UInt64
            if case .inChunk(let number, let place) = reference, number == offsets.count {
                chunk.ownReferences.append(slot)
                word = UInt64(place)
            } else {
                word = UInt64(offset(of: reference))
            }
            chunk.bytes.storeBytes(of: word.littleEndian, toByteOffset: slot, as: UInt64.self)
        }
        let found = Place.inChunk(offsets.count, place: start)
        carried[page] = found
        if chunk.count >= chunkSize { try flush() }
        return found
    }
}
