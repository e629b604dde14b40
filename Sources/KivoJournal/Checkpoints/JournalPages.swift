import KivoEngine

/// The pages of a journal, from which nodes are loaded one by one.
///
/// Owned by ``JournalLog``, and retained by ``PageFiles`` until the log is deinitialised. Thread-safe: the lock protects the
/// loaded nodes, and reading a device is thread-safe.
///
/// When a compacted file replaces the journal, the nodes of the old journal that are not in memory are found in the new one: see
/// ``move(to:_:)``.
final class JournalPages: PageFile {
    /// The number of the file in ``PageReference``.
    let number: Int
    /// The identity of the journal, which seeds the checksums.
    let journal: UInt64
    private let device: any JournalDevice
    let heap: Heap
    let state: Lock<State>

    /// A page that has a parent in memory.
    struct Page: Sendable {
        /// The parent's expectation of the page.
        var expected: PageExpectation
        /// The address of its node once it is in memory, else 0.
        var address: UInt = 0
        /// Whether a scan has read the page without loading the node.
        var wasScanned = false
        /// Whether nobody has looked up the node since the clock of the cache passed over it.
        var isUnused = false
        /// Whether the page was read before, or written here: what it refers to can have been registered.
        var isKnown = false
        /// Whether the node was evicted with the one that refers to it.
        var wasEvicted = false
    }

    struct State: Sendable {
        /// The pages to which a slot leads, or led, by their offsets.
        var pages: [Int: Page] = [:]
        var catalog: Catalog
        /// The new offsets of the pages that were not in memory when the file was compacted.
        var successor: (pages: JournalPages, offsets: [Int: Int])?
        /// The values that only older versions see, which a compaction must not lose. Values that it did not carry over are in
        /// memory.
        var keptValues: [Int: Cell?] = [:]
        /// The length of the leaf that was loaded last. Those of one table have similar lengths.
        var leafLength: Int?
        /// Whether the log uses the file, so that its pages can be read at any time.
        var isInUse = false
        /// Whether the file was abandoned: nodes that were written to it do not count as written.
        var isAbandoned = false

        /// Returns the location of a page in the file that replaced this one; nil if it was not moved.
        func successor(of offset: Int) -> (pages: JournalPages, offset: Int)? {
            guard let (pages, offsets) = successor, let moved = offsets[offset] else { return nil }
            return (pages, moved)
        }

        /// Registers the expected contents of a page.
        ///
        /// - Parameter isKnown: Whether its parent is known, so that it may have been registered before: for the same parent, or for an
        ///   earlier one.
        mutating func expect(
            _ page: PageExpectation, at offset: Int, isKnown: Bool = false
        ) throws(PageFlaw) {
            if isKnown, pages[offset] != nil {
                pages[offset]!.expected = page
                return
            }
            guard pages.updateValue(Page(expected: page), forKey: offset) == nil else {
                throw PageFlaw("several others lead to it")
            }
        }
    }

    private init(
        _ number: Int, _ device: any JournalDevice, journal: UInt64, _ heap: Heap, _ catalog: Catalog
    ) {
        self.number = number
        self.device = device
        self.journal = journal
        self.heap = heap
        state = Lock(State(catalog: catalog))
    }

    /// Creates the pages of a device, under a new number.
    static func make(
        _ device: any JournalDevice, journal: UInt64, _ heap: Heap, _ catalog: Catalog
    ) -> JournalPages {
        var made: JournalPages?
        PageFiles.add { number in
            let pages = JournalPages(number, device, journal: journal, heap, catalog)
            made = pages
            return pages
        }
        return made!
    }

    // MARK: Nodes

    func node(
        at offset: Int, _ role: NodeRole, for slot: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer {
        let address: UInt?
        let slotAddress = UInt(bitPattern: slot)
        do {
            address = try state.withLock { state -> UInt? in
                guard let page = state.pages[offset], page.expected.role == role else {
                    throw PageFlaw("nothing says what it has to be")
                }
                var address = page.address
                if address != 0 {
                    if page.isUnused { state.pages[offset]!.isUnused = false }
                } else {
                    if state.successor?.offsets[offset] != nil { return nil }
                    address = try bringIn(offset, page.expected, &state)
                }
                // Under the lock, because an eviction takes the address away under the lock.
                if let slot = UnsafeMutableRawPointer(bitPattern: slotAddress) {
                    NodeSlot.publish(address, in: slot)
                }
                return address
            }
        } catch {
            // Without the lock, because a tool may go on with its other threads.
            trap(error, at: offset)
        }
        if let address { return UnsafeMutableRawPointer(bitPattern: address)! }
        // The locks of the files are taken one after the other, because the node may be in memory for any of them.
        let next = successor(of: offset)!
        return next.pages.node(at: next.offset, role, for: slot)
    }

    /// Loads the node of a page, and registers the expectations of its children.
    private func bringIn(
        _ offset: Int, _ expected: PageExpectation, _ state: inout State
    ) throws -> UInt {
        let isLeaf = expected.role == .leaf
        let bytes = try page(at: offset, expecting: isLeaf ? state.leafLength : nil)
        defer { bytes.deallocate() }
        if isLeaf { state.leafLength = bytes.count }
        let page = PageReference(file: number, offset: offset)
        var reader = PageReader(UnsafeRawBufferPointer(bytes), page, expected, state.catalog, heap)
        let node = UInt(bitPattern: try reader.node())
        let (isKnown, wasEvicted) = (state.pages[offset]!.isKnown, state.pages[offset]!.wasEvicted)
        for child in reader.references {
            try state.expect(child.expected, at: child.offset, isKnown: isKnown)
        }
        state.pages[offset]!.address = node
        state.pages[offset]!.isKnown = true
        let reference = UnsafeMutableRawPointer(bitPattern: node)!
        if case .sequence(let expected) = expected {
            heap.cache.addSequence(
                reference, expected.element, byteCount: bytes.count, wasEvicted: wasEvicted)
        } else if heap.cache.isLimited, let node = EvictableNode(reference, expected, state.catalog) {
            heap.cache.add(page, node.expected, byteCount: node.byteCount)
        }
        for child in reader.references where !PageReference.fitsAddress {
            if case .value = child.expected {
                child.store(try readValue(at: child.offset, child.expected))
            } else {
                let node = try bringIn(child.offset, child.expected, &state)
                child.resolve(to: UnsafeMutableRawPointer(bitPattern: node)!)
            }
        }
        return node
    }

    func pageToScan(
        at offset: Int, _ window: PageWindow
    ) -> (bytes: UnsafeRawBufferPointer, expected: PageExpectation)? {
        let (expected, next) = state.withLock { state -> (PageExpectation?, (JournalPages, Int)?) in
            guard let index = state.pages.index(forKey: offset) else { return (nil, nil) }
            let page = state.pages.values[index]
            guard page.address == 0 else { return (nil, nil) }
            if let next = state.successor(of: offset) { return (nil, next) }
            guard page.expected.role == .leaf, !page.wasScanned || !heap.cache.hasRoom else {
                return (nil, nil)
            }
            state.pages.values[index].wasScanned = true
            return (page.expected, nil)
        }
        if let (pages, offset) = next { return pages.pageToScan(at: offset, window) }
        // A page that cannot be read now is read again to load the node, with a message that says what is wrong.
        guard let expected,
            let bytes = try? PageLayout.page(
                at: offset, of: self, window,
                { (buffer, offset) throws(JournalError) in try device.read(into: buffer, at: offset) }),
            bytes.number(at: 0) == JournalPages.checksum(bytes, journal: journal, offset: offset)
        else { return nil }
        return (bytes, expected)
    }

    func expect(_ page: PageExpectation, at offset: Int) {
        do {
            try state.withLock { state in try state.expect(page, at: offset) }
        } catch {
            trap(error, at: offset)
        }
    }

    func loadedNode(at offset: Int) -> UnsafeMutableRawPointer? {
        if let address = state.withLock({ $0.pages[offset]?.address }), address != 0 {
            return UnsafeMutableRawPointer(bitPattern: address)
        }
        guard let (pages, moved) = successor(of: offset) else { return nil }
        return pages.loadedNode(at: moved)
    }

    // MARK: Values

    func value(at offset: Int, isString: Bool) -> Cell {
        let expected = PageExpectation.value(isString: isString)
        var isMoved = false
        while true {
            let (kept, next, found) = state.withLock { state in
                (state.keptValues[offset] ?? nil, state.successor(of: offset), state.pages[offset]?.expected)
            }
            if let kept { return kept }
            if let next { return next.pages.value(at: next.offset, isString: isString) }
            guard found == expected else {
                trap(PageFlaw("nothing says what it has to be"), at: offset)
            }
            do {
                return try readValue(at: offset, expected)
            } catch {
                // The file may have been compacted and closed meanwhile.
                if hasMoved, !isMoved { isMoved = true } else { trap(error, at: offset) }
            }
        }
    }

    func readValue(at offset: Int, _ expected: PageExpectation) throws -> Cell {
        let bytes = try page(at: offset)
        defer { bytes.deallocate() }
        var reader = PageReader(
            UnsafeRawBufferPointer(bytes), PageReference(file: number, offset: offset), expected, Catalog(),
            heap)
        return try reader.value()
    }

    func retainValue(at offset: Int) {
        // Looked up and kept under one lock: a compaction either finds the value, or has moved it.
        let next = state.withLock { state in
            let next = state.successor(of: offset)
            if next == nil, state.keptValues[offset] == nil { state.keptValues[offset] = .some(nil) }
            return next
        }
        if let next { next.pages.retainValue(at: next.offset) }
    }

    func releaseValue(at offset: Int) {
        var (pages, offset) = (self, offset)
        while true {
            _ = pages.state.withLock { $0.keptValues.removeValue(forKey: offset) }
            guard let next = pages.successor(of: offset) else { return }
            (pages, offset) = next
        }
    }

    func trap(_ error: any Error, at offset: Int) -> Never {
        if let error = error as? JournalError, case .io = error {
            // A failure of the system does not mean that the file is damaged.
            PageDamage.stop(
                """
                The realm file '\(device.name)' cannot be read at byte \(offset): \(error). A property has no way to throw that.
                """)
        }
        PageDamage.stop(
            """
            The realm file '\(device.name)' is damaged at byte \(offset): \(error). Nothing that is damaged is read; \
            'kivo verify' says what is, and 'Realm.salvage(contentsOf:to:)' saves the rest.
            """)
    }

    // MARK: Pages

    /// Returns the bytes of a page after verifying them. The caller deallocates them.
    func page(at offset: Int, expecting length: Int? = nil) throws -> UnsafeMutableRawBufferPointer {
        try JournalPages.page(of: device, journal: journal, at: offset, expecting: length)
    }

    /// Returns the verified bytes of a page of a device, and throws every failure as a ``PageFlaw``. The caller deallocates them.
    static func checkedPage(
        of device: any JournalDevice, journal: UInt64, at offset: Int
    ) throws(PageFlaw) -> UnsafeMutableRawBufferPointer {
        do {
            return try page(of: device, journal: journal, at: offset)
        } catch let flaw as PageFlaw {
            throw flaw
        } catch {
            throw PageFlaw("\(error)")
        }
    }

    /// Returns the bytes of a page of a device after verifying them. The caller deallocates them.
    ///
    /// - Parameter expected: the probable length. A page that is not longer by more than a quarter is read with one call.
    static func page(
        of device: any JournalDevice, journal: UInt64, at offset: Int, expecting expected: Int? = nil
    ) throws -> UnsafeMutableRawBufferPointer {
        let likely = min(expected.map { $0 + $0 / 4 } ?? 0, 1 << 16)
        var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(likely, 1 << 12), alignment: 16)
        do {
            let count = try device.read(into: buffer, at: offset)
            guard count >= PageLayout.headerSize,
                let length = PageLayout.length(UnsafeRawBufferPointer(buffer))
            else { throw PageFlaw("there is no page") }
            if length > buffer.count {
                if length > 1 << 16 {
                    // A damaged length must not allocate a large buffer.
                    var last: UInt8 = 0
                    let isWhole = try withUnsafeMutableBytes(of: &last) { byte throws(JournalError) in
                        try device.read(into: byte, at: offset + length - 1) == 1
                    }
                    guard isWhole else { throw PageFlaw("the file ends within it") }
                }
                let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
                larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
                let start = buffer.count
                buffer.deallocate()
                buffer = larger
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
                guard try device.read(into: rest, at: offset + start) == rest.count else {
                    throw PageFlaw("the file ends within it")
                }
            } else if length > count {
                throw PageFlaw("the file ends within it")
            }
            let page = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            guard
                UnsafeRawBufferPointer(page).number(at: 0)
                    == JournalPages.checksum(UnsafeRawBufferPointer(page), journal: journal, offset: offset)
            else { throw PageFlaw("its checksum is wrong") }
            return page
        } catch {
            buffer.deallocate()
            throw error
        }
    }

    /// Returns the checksum that a page has at an offset of a journal.
    static func checksum(_ page: UnsafeRawBufferPointer, journal: UInt64, offset: Int) -> UInt64 {
        Checksum.of(
            UnsafeRawBufferPointer(rebasing: page[PageLayout.checksumSize...]),
            seed: Checksum.seed(journal, UInt64(offset)))
    }
}

/// The pages of files to which nodes refer. Nodes can be loaded from them until this object is deinitialised.
///
/// Thread-safe.
final class KeptPages: Sendable {
    private let files = Lock<Set<Int>>([])

    deinit { for file in files.withLock({ $0 }) { PageFiles.remove(file) } }

    /// Retains the pages of a file.
    func keep(_ pages: JournalPages) { files.withLock { _ = $0.insert(pages.number) } }
}
