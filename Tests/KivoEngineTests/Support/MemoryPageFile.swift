@testable import KivoEngine

/// Pages in memory, one after the other.
struct MemoryPages: PageDestination {
    private(set) var bytes = [UInt8](repeating: 0, count: 8)
    var file: Int { 0 }

    static func failure(_ error: some Error & CustomStringConvertible) -> PageFlaw {
        PageFlaw(error.description)
    }

    func current(_ page: PageReference) -> PageReference? { page }

    func bytes(of page: PageReference) throws(PageFlaw) -> [UInt8] {
        guard let bytes = PageFiles.file(page.file)?.bytes(at: page.offset) else {
            throw PageFlaw("there is no other file")
        }
        return bytes
    }

    mutating func append(_ chunk: PageChunk) throws(PageFlaw) -> Int {
        let offset = bytes.count
        chunk.resolveReferences(at: offset)
        bytes += chunk.bytes
        return offset
    }

    /// The bytes of a page, which the caller deallocates.
    func page(at offset: Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer {
        guard let length = bytes[offset...].withUnsafeBytes({ PageLayout.length($0) }) else {
            throw PageFlaw("there is no page")
        }
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        page.copyBytes(from: bytes[offset..<offset + length])
        return page
    }
}

/// A file of which nodes are brought in as from that of a journal.
final class MemoryPageFile: PageFile {
    private struct State: Sendable {
        var expected: [Int: PageExpectation] = [:]
        var nodes: [Int: UInt] = [:]
        var scanned: Set<Int> = []
    }

    private let pages: MemoryPages
    private let number: Int
    private let catalog: Catalog
    private let heap: Heap
    private let state = Lock(State())
    /// A closure in place of a reader. It is called before each eviction of a node of a sequence.
    let reader = Lock<(@Sendable () -> Void)?>(nil)

    init(_ pages: MemoryPages, _ number: Int, _ catalog: Catalog, _ heap: Heap) {
        (self.pages, self.number, self.catalog, self.heap) = (pages, number, catalog, heap)
    }

    /// How many pages were brought in as nodes.
    var nodeCount: Int { state.withLock { $0.nodes.count } }

    func node(at offset: Int, _ role: NodeRole, for slot: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer
    {
        let slotAddress = UInt(bitPattern: slot)
        let node = state.withLock { state -> UInt in
            precondition(state.expected[offset]?.role == role, "a slot of another role leads to a page")
            do throws(PageFlaw) {
                let node = try bringIn(offset, &state)
                if let slot = UnsafeMutableRawPointer(bitPattern: slotAddress) {
                    NodeSlot.publish(node, in: slot)
                }
                return node
            } catch {
                fatalError(error.description)
            }
        }
        return UnsafeMutableRawPointer(bitPattern: node)!
    }

    func passClock(
        over offset: Int, _ slot: UnsafeMutableRawPointer, _ prepare: (UnsafeMutableRawPointer) -> Void
    ) -> ClockPass {
        guard let node = loadedNode(at: offset) else { return .gone }
        prepare(node)
        return .kept
    }

    func takeNode(
        at offset: Int, _ slot: UnsafeMutableRawPointer, _ expected: PageExpectation,
        _ prepare: (UnsafeMutableRawPointer) -> Void
    ) -> UnsafeMutableRawPointer? {
        reader.withLock { $0 }?()
        let (slotAddress, page) = (UInt(bitPattern: slot), PageReference(file: number, offset: offset))
        while true {
            let node = loadedNode(at: offset)
            if let node { prepare(node) }
            let known = UInt(bitPattern: node)
            let isTaken = state.withLock { state -> Bool in
                if state.nodes[offset] ?? 0 != known { return false }
                state.nodes[offset] = nil
                NodeSlot.publish(UInt(page.stub), in: UnsafeMutableRawPointer(bitPattern: slotAddress)!)
                return true
            }
            if isTaken { return node }
        }
    }

    private func bringIn(_ offset: Int, _ state: inout State) throws(PageFlaw) -> UInt {
        if let node = state.nodes[offset] { return node }
        let bytes = try pages.page(at: offset)
        defer { bytes.deallocate() }
        var reader = PageReader(
            UnsafeRawBufferPointer(bytes), PageReference(file: number, offset: offset),
            state.expected[offset]!, catalog, heap)
        let node = UInt(bitPattern: try reader.node())
        state.nodes[offset] = node
        let reference = UnsafeMutableRawPointer(bitPattern: node)!
        if let evictable = EvictableNode(reference, state.expected[offset]!, catalog) {
            heap.cache.add(
                PageReference(file: number, offset: offset), evictable.expected,
                byteCount: evictable.byteCount)
        }
        for child in reader.references { state.expected[child.offset] = child.expected }
        for child in reader.references where !PageReference.fitsAddress {
            if case .value(let isString) = child.expected {
                child.store(value(at: child.offset, isString: isString))
            } else {
                child.resolve(to: UnsafeMutableRawPointer(bitPattern: try bringIn(child.offset, &state))!)
            }
        }
        return node
    }

    func expect(_ page: PageExpectation, at offset: Int) {
        state.withLock { $0.expected[offset] = page }
    }

    /// The number of pages that were scanned without loading their nodes.
    var scannedCount: Int { state.withLock { $0.scanned.count } }

    func pageToScan(
        at offset: Int, _ window: PageWindow
    ) -> (bytes: UnsafeRawBufferPointer, expected: PageExpectation)? {
        let expected = state.withLock { state -> PageExpectation? in
            state.nodes[offset] == nil && state.scanned.insert(offset).inserted ? state.expected[offset] : nil
        }
        let page = PageLayout.page(at: offset, of: self, window) { buffer, offset in
            let count = min(buffer.count, pages.bytes.count - offset)
            buffer.copyBytes(from: pages.bytes[offset..<offset + count])
            return count
        }
        guard let expected, let page else { return nil }
        return (page, expected)
    }

    func loadedNode(at offset: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: state.withLock { $0.nodes[offset] ?? 0 })
    }

    func value(at offset: Int, isString: Bool) -> Cell {
        do throws(PageFlaw) {
            let bytes = try pages.page(at: offset)
            defer { bytes.deallocate() }
            var reader = PageReader(
                UnsafeRawBufferPointer(bytes), PageReference(file: number, offset: offset),
                .value(isString: isString), catalog, heap)
            return try reader.value()
        } catch {
            fatalError(error.description)
        }
    }

    func retainValue(at offset: Int) {}

    func releaseValue(at offset: Int) {}

    func bytes(at offset: Int) -> [UInt8]? {
        guard let page = try? pages.page(at: offset) else { return nil }
        defer { page.deallocate() }
        return Array(page)
    }
}
