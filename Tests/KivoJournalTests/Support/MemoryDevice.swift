import KivoEngine
import KivoJournal

/// A device in memory that fails on demand and can lose its power.
///
/// It behaves like the worst of disks: what is not synchronized reaches the platter sector by sector, in any
/// selection, and after a failed synchronization the system forgets that the sectors still had to be written.
final class MemoryDevice: JournalDevice {
    private static let sectorSize = 512

    private struct State {
        /// The bytes that reading returns.
        var bytes: [UInt8] = []
        /// The bytes that survive a loss of power.
        var platter: [UInt8] = []
        var dirtySectors: Set<Int> = []
        var capacity = Int.max
        var recovers = false
        var bytesLeft = Int.max
        var synchronizationsLeft = Int.max
        var truncates = true
        var isClosed = false
        var writeCount = 0
        var synchronizationCount = 0
        var wroteBothPages = false
        var random: TestRandom?
    }

    private let state = Lock(State())

    init(_ bytes: [UInt8] = [], random: TestRandom? = nil) {
        state.withLock {
            $0.bytes = bytes
            $0.platter = bytes
            $0.random = random
        }
    }

    /// The bytes of the device.
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var writeCount: Int { state.withLock { $0.writeCount } }
    var synchronizationCount: Int { state.withLock { $0.synchronizationCount } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether a loss of power would change nothing, but for the mark in the header, which is flushed with the next
    /// record.
    var isDurable: Bool {
        state.withLock { state in
            let mark = state.bytes.indices.clamped(to: 512..<536)
            return state.dirtySectors.isSubset(of: [512 / MemoryDevice.sectorSize])
                && state.bytes.count == state.platter.count
                && state.bytes[..<mark.lowerBound] == state.platter[..<mark.lowerBound]
                && state.bytes[mark.upperBound...] == state.platter[mark.upperBound...]
        }
    }

    /// Whether both pages of a header that was durable were written between two flushes.
    var wroteBothPages: Bool { state.withLock { $0.wroteBothPages } }

    /// Lets the device write no more than this, each byte counted, grow no larger, and synchronize no more
    /// often.
    func fail(
        afterBytes bytes: Int = .max, capacity: Int = .max, synchronizations: Int = .max,
        truncates: Bool = true
    ) {
        state.withLock {
            $0.recovers = false
            $0.capacity = capacity
            $0.bytesLeft = bytes
            $0.synchronizationsLeft = synchronizations
            $0.truncates = truncates
        }
    }

    /// Lets the device fail at one write, after this many bytes, and then work again.
    func failOnce(afterBytes bytes: Int) {
        state.withLock {
            $0.bytesLeft = bytes
            $0.recovers = true
        }
    }

    /// Lets the device work again.
    func repair() { fail() }

    /// Returns the contents of the device after a loss of power at this moment.
    func afterPowerLoss() -> [UInt8] {
        state.withLock { state in
            var lost = state
            MemoryDevice.flushSome(&lost)
            state.random = lost.random
            return lost.platter
        }
    }

    func size() throws(JournalError) -> Int { try using { state throws(JournalError) in state.bytes.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        let bytes = try using { state throws(JournalError) in
            state.bytes.dropFirst(offset).prefix(buffer.count)
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        let written = Array(bytes)
        try using { state throws(JournalError) in
            state.writeCount += 1
            let part = written.prefix(min(state.bytesLeft, max(state.capacity - offset, 0)))
            if state.bytesLeft != .max { state.bytesLeft -= part.count }
            precondition(offset <= state.bytes.count, "a write leaves a hole")
            let end = offset + part.count
            if end > state.bytes.count {
                state.bytes += [UInt8](repeating: 0, count: end - state.bytes.count)
            }
            if !part.isEmpty {
                state.bytes.copy(part, to: offset)
                let sectors = offset / MemoryDevice.sectorSize...(end - 1) / MemoryDevice.sectorSize
                state.dirtySectors.formUnion(sectors)
                let pages = Set(state.dirtySectors.filter { $0 < 16 }.map { $0 / 8 })
                if pages.count > 1, state.platter.count >= 8192 { state.wroteBothPages = true }
            }
            guard part.count < written.count else { return }
            if state.recovers {
                state.recovers = false
                state.bytesLeft = .max
            }
            throw .noSpace
        }
    }

    func synchronize() throws(JournalError) {
        try using { state throws(JournalError) in
            state.synchronizationCount += 1
            guard state.synchronizationsLeft > 0 else {
                MemoryDevice.flushSome(&state)
                throw .io(errno: 5, operation: "synchronizing")
            }
            if state.synchronizationsLeft != .max { state.synchronizationsLeft -= 1 }
            MemoryDevice.resize(&state)
            MemoryDevice.flush(&state, state.dirtySectors)
            state.dirtySectors = []
        }
    }

    func truncate(to size: Int) throws(JournalError) {
        try using { state throws(JournalError) in
            guard state.truncates else { throw .io(errno: 5, operation: "truncating") }
            precondition(size <= state.bytes.count, "truncating makes the device longer")
            state.bytes.removeLast(state.bytes.count - size)
            state.dirtySectors = state.dirtySectors.filter { $0 * MemoryDevice.sectorSize < size }
        }
    }

    /// Lets the device be used again, as a file is that another process opens: what is not flushed still is not.
    func reopen() { state.withLock { $0.isClosed = false } }

    func close() { state.withLock { $0.isClosed = true } }

    private func using<Result: Sendable>(
        _ body: (inout State) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { state throws(JournalError) in
            guard !state.isClosed else { throw .io(errno: 9, operation: "using a closed device") }
            return try body(&state)
        }
    }

    private static func flushSome(_ state: inout State) {
        guard var random = state.random else { return }
        if random.chance(70) { resize(&state) }
        flush(&state, state.dirtySectors.sorted().filter { _ in random.chance(50) })
        state.random = random
        state.dirtySectors = []
    }

    private static func resize(_ state: inout State) {
        let grown = state.bytes.count - state.platter.count
        if grown > 0 {
            state.platter += [UInt8](repeating: 0, count: grown)
        } else {
            state.platter.removeLast(-grown)
        }
    }

    private static func flush(_ state: inout State, _ sectors: some Sequence<Int>) {
        for sector in sectors {
            let end = min((sector + 1) * sectorSize, state.bytes.count, state.platter.count)
            let start = min(sector * sectorSize, end)
            state.platter.copy(state.bytes[start..<end], to: start)
        }
    }
}

extension [UInt8] {
    /// Overwrites elements; far quicker than `replaceSubrange` when it is not optimized.
    fileprivate mutating func copy(_ bytes: ArraySlice<UInt8>, to offset: Int) {
        bytes.withUnsafeBytes { source in
            withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: source)
            }
        }
    }
}
