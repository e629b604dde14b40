import TestRandomness
import XCTest

@testable import KivoEngine
@testable import KivoJournal

/// Files of terabytes, of which a device keeps only what was written to them.
final class LargeOffsetTests: XCTestCase {
    private static let catalog: Catalog = {
        var catalog = Catalog()
        let thing = catalog.declare("Thing", isEmbedded: false)
        catalog.define(
            thing,
            columns: [
                ColumnSpec(name: "count", kind: .word, isIndexed: true),
                ColumnSpec(name: "name", kind: .string),
                ColumnSpec(name: "others", kind: .sequence, element: .link, target: thing),
            ])
        return catalog
    }()

    private let heap = Heap()
    private var chain = VersionChain(heap: Heap())

    override func setUpWithError() throws {
        chain = VersionChain(heap: heap)
        _ = chain.append(
            WriteTransaction.perform(id: 1, on: chain.headSnapshot, LargeOffsetTests.catalog, heap) {
                transaction in
                for number in 0..<2000 { LargeOffsetTests.insert(number, transaction) }
                return transaction.changeSet()
            })
    }

    override func tearDown() { chain.destroy(LargeOffsetTests.catalog) }

    private static func insert(_ number: Int, _ transaction: WriteTransaction) {
        let key = transaction.insert(into: 0)
        transaction.set(.word(UInt64(number % 7)), 0, key, 0)
        transaction.set(.string("the name of the thing \(number)"), 0, key, 1)
        transaction.insertElements(
            (0..<number % 5).map { .link(key - ObjectKey($0)) }, at: 0,
            into: CollectionID(table: 0, column: 2, key: key))
    }

    /// Writes the version as a file whose pages begin at an offset.
    private func write(to device: SparseDevice, at offset: Int) throws {
        var numbers = TableNumbers()
        _ = numbers.give(0)
        let header = try Journal.create(on: device, readOnly: false)
        let fresh = FreshJournal(JournalWriter(device, header))
        fresh.writer.position.end = offset
        _ = try JournalImage.fill(
            fresh, PageWriter(CopyPageDestination(fresh), isCopy: true),
            StoreContents(
                chain.headSnapshot, LargeOffsetTests.catalog, numbers, version: 0, schemaVersion: 0),
            lineage: header.id)
    }

    /// Opens the file, and calls `body` with what it holds.
    private func open(
        _ device: SparseDevice, _ body: (inout Replay, StoreLog) throws -> Void
    ) throws {
        var policy = CheckpointPolicy()
        (policy.smallestTailOfClosing, policy.tailShare) = (1, 1 << 40)
        let log = StoreLog(JournalLog(device, readOnly: false, policy: policy))
        var store = Replay(Heap())
        defer {
            store.discard()
            log.close()
        }
        try log.load(into: &store)
        try body(&store, log)
    }

    private func check(_ store: Replay, _ line: UInt = #line) {
        let changes = SnapshotDifference.changes(
            from: store.chain.headSnapshot, to: chain.headSnapshot, LargeOffsetTests.catalog,
            numberedBefore: [0: store.catalog.table(named: "Thing")!])
        XCTAssert(changes.isEmpty, line: line)
        XCTAssertEqual(store.chain.headSnapshot.table(0).count, chain.headSnapshot.table(0).count, line: line)
    }

    /// Appends a commit to both.
    private func commit(_ number: Int, _ store: inout Replay, _ log: StoreLog) throws {
        try store.commit { transaction in
            LargeOffsetTests.insert(number, transaction)
            try log.append(transaction, transaction.changeSet())
        }
        _ = chain.append(
            WriteTransaction.perform(
                id: UInt64(number), on: chain.headSnapshot, LargeOffsetTests.catalog, heap
            ) { transaction in
                LargeOffsetTests.insert(number, transaction)
                return transaction.changeSet()
            })
    }

    func testPagesOfAFileOfTerabytesAreRead() throws {
        let offsets = [5 << 30, 3 << 40, 7 << 40, PageReference.offsetLimit - (1 << 20)]
        for offset in TestEffort.sample(offsets, 1) {
            let device = SparseDevice()
            try write(to: device, at: offset)
            XCTAssertGreaterThan(try device.size(), offset)
            XCTAssertLessThan(device.writtenBytes, 1 << 20)
            try open(device) { store, log in
                check(store)
                try commit(3000 + offset >> 40, &store, log)
                check(store)
            }
            try open(device) { store, _ in check(store) }
        }
    }

    /// On a platform of 32 bits, files of some hundred megabytes get there.
    func testSizesOfFilesDoNotOverflow() {
        var policy = CheckpointPolicy()
        policy.allowance = 10
        XCTAssertEqual(policy.largestBefore(live: 7), 24)
        XCTAssertEqual(policy.largestAfter(live: 7), 27)
        XCTAssertEqual(policy.largestClosed(live: 7), 31)
        for live in [Int.max, .max / 2 + 1, .max / 5 * 2 + 1] {
            XCTAssertEqual(policy.largestAfter(live: live), .max)
            XCTAssertEqual(policy.largestClosed(live: live), .max)
        }
        XCTAssertEqual(policy.largestBefore(live: .max / 2 - 1), .max)
    }

    /// No page is written where no reference leads.
    func testPagesEndBeforeTheFirstOffsetThatIsTooLarge() throws {
        for distance in [8, 1 << 12, 1 << 14] {
            let device = SparseDevice()
            XCTAssertThrowsError(try write(to: device, at: PageReference.offsetLimit - distance)) { error in
                XCTAssertEqual(error as? JournalError, .tooLarge)
            }
        }
    }

    /// A checkpoint that finds no room is thrown; commits go on behind the offsets that pages can have.
    func testACheckpointBeyondTheLimitIsRefusedAndNothingIsLost() throws {
        let device = SparseDevice()
        // The length of the pages is known when they were written once.
        try write(to: device, at: 1 << 30)
        let length = device.end - 1 << 30
        let small = SparseDevice()
        try write(to: small, at: PageReference.offsetLimit - length - (1 << 10))
        try open(small) { store, log in
            check(store)
            for number in 4000..<4040 { try commit(number, &store, log) }
            let checkpoint = try XCTUnwrap(log.beginCheckpoint(isClosing: true))
            XCTAssertThrowsError(try checkpoint.make(store.chain.headSnapshot, store.catalog)) { error in
                XCTAssertEqual(error as? JournalError, .tooLarge)
            }
            try commit(4040, &store, log)
            check(store)
        }
        XCTAssertGreaterThan(small.end, PageReference.offsetLimit)
        try open(small) { store, _ in check(store) }
    }

    /// The system's calls take such offsets.
    func testAFileIsWrittenAndReadBeyondFourTerabytes() throws {
        let path = NSTemporaryDirectory() + "kivo-large-\(UInt64.random(in: 0 ... .max))"
        let device = try FileDevice.open(path: path)
        defer {
            device.close()
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.removeItem(atPath: path + ".lock")
        }
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let offset = 5 << 40
        do {
            try bytes.withUnsafeBytes { try device.write($0, at: offset) }
        } catch JournalError.tooLarge {
            throw XCTSkip("the file system has no files of this size")
        }
        XCTAssertEqual(try device.size(), offset + 8)
        var found = [UInt8](repeating: 0, count: 16)
        XCTAssertEqual(try found.withUnsafeMutableBytes { try device.read(into: $0, at: offset) }, 8)
        XCTAssertEqual(Array(found.prefix(8)), bytes)
    }
}

/// A device of any size, of which only the blocks that were written to take memory. What was not written is zeros.
final class SparseDevice: JournalDevice {
    private static let blockSize = 4096

    private struct State {
        var blocks: [Int: [UInt8]] = [:]
        var size = 0
        /// The end of the last byte that is not zero.
        var end = 0
    }

    private let state = Lock(State())

    /// How many bytes of memory it takes.
    var writtenBytes: Int { state.withLock { $0.blocks.count * SparseDevice.blockSize } }
    var end: Int { state.withLock { $0.end } }

    func size() throws(JournalError) -> Int { state.withLock { $0.size } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        state.withLock { state in
            let count = max(0, min(buffer.count, state.size - offset))
            for place in 0..<count {
                let (block, position) = (offset + place).quotientAndRemainder(
                    dividingBy: SparseDevice.blockSize)
                buffer[place] = state.blocks[block]?[position] ?? 0
            }
            return count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        let bytes = Array(bytes)
        state.withLock { state in
            for (place, byte) in bytes.enumerated() {
                let (block, position) = (offset + place).quotientAndRemainder(
                    dividingBy: SparseDevice.blockSize)
                if byte != 0 { state.end = max(state.end, offset + place + 1) }
                if byte == 0, state.blocks[block] == nil { continue }
                state.blocks[block, default: Array(repeating: 0, count: SparseDevice.blockSize)][position] =
                    byte
            }
            state.size = max(state.size, offset + bytes.count)
        }
    }

    func synchronize() throws(JournalError) {}

    func truncate(to size: Int) throws(JournalError) {
        state.withLock { state in
            state.blocks = state.blocks.filter { $0.key * SparseDevice.blockSize < size }
            state.size = size
            state.end = min(state.end, size)
        }
    }

    func close() {}
}
