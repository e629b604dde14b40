import Synchronization

/// The nodes of a store that are in memory and the same in a file, and the limit of their bytes. An ``Eviction`` lets go of nodes
/// beyond the limit.
///
/// The nodes are in the order of a clock: each new one comes last, and an eviction takes the first, which goes to the end if it was
/// used since the clock passed over it. Only leaves of tables and buckets of indexes count, which are nearly all of a large file.
///
/// Thread-safe. The lock is taken last, below those of files.
package final class PageCache: Sendable {
    /// A node of the clock.
    struct Entry: Sendable {
        /// The page that the node was read from, or written to.
        var page: PageReference
        var expected: PageExpectation
        var byteCount: Int
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        /// The index of the first entry. Those before it were taken.
        var start = 0
        var byteCount = 0
        /// The number of bytes of the sequences with pages of their own that were read since the clock last passed over all nodes.
        /// They are evicted with the leaf that refers to them.
        var sequenceByteCount = 0
        /// The nodes of sequences that were read again after an eviction and are not freed, by their addresses. If only older versions
        /// read them, nothing leads to them when the store is closed.
        var readAgain: [UInt: ElementKind] = [:]
        /// The number of nodes that were evicted so far.
        var evictions = 0
        /// Whether the last eviction was put off.
        var isPostponed = false
        /// The number of bytes at which the next eviction is due.
        var threshold: Int
    }

    /// The number of bytes above which nodes are evicted.
    package let limit: Int
    private let dirty = Atomic(0)
    private let state: Lock<State>
    private let isOver = Atomic(false)
    private let hasReadAgain = Atomic(false)

    /// Creates the cache of a store without nodes.
    package init(limit: Int) {
        self.limit = PageReference.fitsAddress ? max(0, limit) : .max
        state = Lock(State(threshold: self.limit - self.limit / 8))
    }

    /// Whether there is a limit.
    @inline(__always)
    package var isLimited: Bool { limit != .max }

    /// Whether an eviction is due. A load of one word.
    @inline(__always)
    package var isEvictionDue: Bool { isOver.load(ordering: .relaxed) }

    /// The number of bytes of the nodes, approximately.
    package var byteCount: Int { state.withLock { $0.byteCount + $0.sequenceByteCount } }

    /// The number of nodes that were evicted so far, for tests.
    package var evictions: Int { state.withLock { $0.evictions } }

    /// Whether another node can be brought in without an eviction.
    package var hasRoom: Bool { state.withLock { $0.byteCount < $0.threshold } }

    /// The number of bytes above which an eviction is due: the limit without what the allocator adds to nodes, an eighth.
    private var usual: Int { limit - step }

    /// The number of bytes that an eviction leaves free, so that the next one is not due at once.
    private var step: Int { limit / 8 }

    /// The number of bytes of nodes that became different from the file since the last checkpoint began, approximately.
    package var dirtyByteCount: Int { dirty.load(ordering: .relaxed) }

    /// Notes that nodes have become different from the file.
    func noteDirty(byteCount: Int) { if byteCount > 0 { dirty.add(byteCount, ordering: .relaxed) } }

    /// Whether so many nodes are different from the file that a checkpoint has to make them the same.
    package func demandsCheckpoint(beside logged: Int) -> Bool {
        isLimited && dirtyByteCount + logged > dirtyLimit / 2
    }

    /// Whether so many nodes became different since a checkpoint began that writers have to wait for its end.
    package var isBehind: Bool { isLimited && dirtyByteCount > dirtyLimit }

    /// Half of the limit, but never so little that small writes cause one checkpoint after the other.
    private var dirtyLimit: Int { max(limit, 64 << 20) / 2 }

    /// Notes that a checkpoint of all nodes begins.
    package func noteCheckpoint() { dirty.store(0, ordering: .relaxed) }

    /// Adds a node that was read from a page or written to one.
    package func add(_ page: PageReference, _ expected: PageExpectation, byteCount: Int) {
        if !isLimited { return }
        add(Entry(page: page, expected: expected, byteCount: byteCount))
    }

    private func add(_ entry: Entry) {
        state.withLock { state in
            state.entries.append(entry)
            state.byteCount += entry.byteCount
            noteSize(state)
        }
    }

    private func noteSize(_ state: State) {
        if state.byteCount + state.sequenceByteCount > state.threshold {
            isOver.store(true, ordering: .relaxed)
        }
    }

    /// Adds a node of a sequence, with a page of its own, that was read.
    ///
    /// - Parameter wasEvicted: Whether it was in memory before.
    package func addSequence(
        _ node: UnsafeMutableRawPointer, _ element: ElementKind, byteCount: Int, wasEvicted: Bool
    ) {
        if !isLimited { return }
        let address = UInt(bitPattern: node)
        state.withLock { state in
            state.sequenceByteCount += byteCount
            if wasEvicted {
                state.readAgain[address] = element
                hasReadAgain.store(true, ordering: .relaxed)
            }
            noteSize(state)
        }
    }

    /// Subtracts a node of a sequence that was evicted.
    func forgetSequence(byteCount: Int) {
        state.withLock { $0.sequenceByteCount = max(0, $0.sequenceByteCount - byteCount) }
    }

    /// The nodes of sequences that were read again after an eviction and are not freed.
    var readAgain: [UnsafeMutableRawPointer: ElementKind] {
        var nodes: [UnsafeMutableRawPointer: ElementKind] = [:]
        for (address, element) in state.withLock({ $0.readAgain }) {
            nodes[UnsafeMutableRawPointer(bitPattern: address)!] = element
        }
        return nodes
    }

    /// Notes that nodes are freed.
    func forget(_ blocks: [UnsafeMutableRawPointer]) {
        // The node was noted before a version could refer to it, on the way to which the thread has taken locks.
        guard hasReadAgain.load(ordering: .relaxed), !blocks.isEmpty else { return }
        let addresses = blocks.map { UInt(bitPattern: $0) }
        state.withLock { state in
            for address in addresses { state.readAgain[address] = nil }
        }
    }

    /// Passes the clock over the nodes, the oldest first, until those that are left are below the limit or each was passed twice.
    ///
    /// - Parameter pass: Passes the clock over one node.
    func turn(_ pass: (Entry) -> ClockPass) {
        let target = usual - step
        let whole = state.withLock { 2 * ($0.entries.count - $0.start) }
        var (rest, evictions) = (min(whole, PageCache.mostPasses), 0)
        while rest > 0, let entry = takeFirst(above: target) {
            rest -= 1
            switch pass(entry) {
            case .kept: add(entry)
            case .gone: break
            case .evicted: evictions += 1
            }
        }
        let count = evictions
        let isWhole = rest == 0 && whole <= PageCache.mostPasses
        let isCutShort = rest == 0 && whole > PageCache.mostPasses
        state.withLock { state in
            state.evictions += count
            // Whoever comes next goes on.
            if isCutShort { return }
            // The rest were replaced by writes.
            if isWhole { state.sequenceByteCount = 0 }
            state.threshold = max(usual, state.byteCount + state.sequenceByteCount + step)
            isOver.store(false, ordering: .relaxed)
        }
    }

    /// The number of nodes that one eviction passes at most, while writers wait for it.
    private static let mostPasses = 4_096

    private func takeFirst(above target: Int) -> Entry? {
        state.withLock { state in
            guard state.byteCount + state.sequenceByteCount > target, state.start < state.entries.count
            else { return nil }
            let entry = state.entries[state.start]
            state.start += 1
            state.byteCount -= entry.byteCount
            if state.start > 64, state.start * 2 > state.entries.count {
                state.entries.removeFirst(state.start)
                state.start = 0
            }
            return entry
        }
    }

    /// Puts the next eviction off, because readers of older versions still need what the last ones let go of.
    package func postpone() {
        state.withLock { state in
            state.threshold = max(usual, state.byteCount + state.sequenceByteCount + step)
            state.isPostponed = true
            isOver.store(false, ordering: .relaxed)
        }
    }

    /// Makes an eviction that was put off due again, because a reader has moved on.
    package func resume() {
        state.withLock { state in
            guard state.isPostponed else { return }
            (state.isPostponed, state.threshold) = (false, usual)
            noteSize(state)
        }
    }
}
