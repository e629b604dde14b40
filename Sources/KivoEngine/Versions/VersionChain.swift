/// The versions of a store, from the oldest that is still read to the newest.
///
/// Each version has the changes of its commit and what that commit replaced. When the oldest version is unpinned, what the next
/// one replaced is freed and the chain becomes shorter.
///
/// An unpinned version is merged with the next one: their change sets are composed, and the nodes, strings and bytes that one
/// commit created and another replaced are freed. Two neighbours are merged if they are the halves of a block of 2, 4, 8, …
/// numbers. So a commit is merged at most O(log n) times, in whatever order versions are unpinned. n commits between two pinned
/// ones leave O(log n) versions.
///
///     pinned 1 ── 2…511 ── 512…639 ── 640…643 ── 644 ── head 645
///
/// Not thread-safe: a store guards it with its lock.
@usableFromInline package struct VersionChain: Sendable {
    private struct Entry: Sendable {
        /// The number of the version, and the lowest number of the versions that were merged into it.
        var number: UInt64
        var first: UInt64
        /// The number of the first version with the same data; lower than `first` if the version was made by an eviction.
        var origin: UInt64
        /// The number of evictions up to this version.
        var evictions: UInt64 = 0
        var snapshot: Snapshot
        var pins: Int
        var place: LogPlace
        /// The changes from the previous version to this one.
        var changes: RowChangeSet
        var retired: RetireList
        /// The transactions of the merged commits. `weight` is their number.
        var ids: ClosedRange<UInt64>
        var weight = 1
        /// The indexes of the previous and the next retained version; nil if there is none.
        var previous: Int?
        var next: Int?
        /// Whether the version is retained. The others are removed in bulk.
        var isKept = true
    }

    private let heap: Heap
    private var entries: [Entry]
    /// The index of the oldest version.
    private var start = 0
    /// The number of retained versions.
    package private(set) var count = 1
    /// The number of commits that were processed again to merge, free or move versions, for tests.
    private(set) var work = 0

    /// Creates a chain of one empty version, number 1.
    package init(heap: Heap) { self.init(heap: heap, tables: 0) { _, _ in } }

    /// Creates a chain of one version, number 1, which a function fills.
    init(heap: Heap, tables: Int, _ fill: (Snapshot, WriteMemory) -> Void) {
        self.heap = heap
        let id = UInt64(Int64.max)
        let memory = WriteMemory(id: id, heap: heap)
        let snapshot = Snapshot.make(tables: tables, memory)
        fill(snapshot, memory)
        _ = memory.commit()
        entries = [
            Entry(
                number: 1, first: 1, origin: 1, snapshot: snapshot, pins: 0, place: LogPlace(1),
                changes: RowChangeSet(),
                retired: RetireList(), ids: id...id)
        ]
    }

    /// The index of the newest version, which is never merged and so is the last entry.
    private var last: Int { entries.count - 1 }

    /// The number of the newest version.
    package var head: UInt64 { entries[last].number }

    /// The number of the oldest version that is still read.
    package var oldest: UInt64 { entries[start].number }

    /// The newest version's snapshot; valid while pinned.
    package var headSnapshot: Snapshot { entries[last].snapshot }

    private func index(of number: UInt64) -> Int {
        let index = entries[start...].partitionPoint { $0.number < number }
        precondition(
            index < entries.count && entries[index].number == number && entries[index].isKept,
            "version \(number) is not kept")
        return index
    }

    /// Pins a version until ``unpin(_:)``. Returns its snapshot. O(log n).
    package mutating func pin(_ number: UInt64) -> Snapshot {
        let index = index(of: number)
        entries[index].pins += 1
        return entries[index].snapshot
    }

    /// Removes one pin of a version and frees everything that no version needs any more. All versions together are unpinned in
    /// O(n log n), in any order.
    package mutating func unpin(_ number: UInt64) {
        let index = index(of: number)
        precondition(entries[index].pins > 0, "version \(number) is not pinned")
        entries[index].pins -= 1
        guard entries[index].pins == 0 else { return }
        if index == start { trim() } else { merge(around: index) }
        removeReleasedEntries()
    }

    /// Removes the oldest versions while they are unpinned.
    private mutating func trim() {
        let before = start
        while entries[start].pins == 0, let next = entries[start].next {
            entries[start].isKept = false
            entries[next].retired.free(to: heap)
            // The changes lead from a version that was removed.
            entries[next].changes = RowChangeSet()
            entries[next].previous = nil
            work += entries[next].weight
            (start, count) = (next, count - 1)
        }
        if start > before, let next = entries[start].next { merge(around: next) }
    }

    /// Removes the entries of versions that are not retained, if these are the majority.
    private mutating func removeReleasedEntries() {
        guard entries.count > 64, entries.count > 2 * count else { return }
        work += count
        entries.removeAll { !$0.isKept }
        start = 0
        for index in entries.indices {
            entries[index].previous = index > start ? index - 1 : nil
            entries[index].next = index < last ? index + 1 : nil
        }
    }

    /// Appends a commit and returns its number. The previous version is retained at least while it is pinned.
    ///
    /// - Parameters:
    ///   - number: the commit's number, higher than that of the newest version; nil for the next number.
    ///   - pins: the initial number of pins.
    ///   - place: the place of the version in the store's log; nil if the store has no log.
    package mutating func append(
        _ commit: consuming Commit, as number: UInt64? = nil, pins: Int = 0, at place: LogPlace? = nil
    ) -> UInt64 {
        let number = number ?? head + 1
        precondition(number > head, "version \(number) comes after \(head)")
        let before = last
        entries.append(
            Entry(
                number: number, first: number, origin: number, evictions: entries[before].evictions,
                snapshot: commit.snapshot, pins: pins,
                place: place ?? LogPlace(number), changes: commit.changes,
                retired: commit.retired, ids: commit.id...commit.id, previous: before))
        entries[before].next = last
        count += 1
        trim()
        if start < before { merge(around: before) }
        removeReleasedEntries()
        return number
    }

    // MARK: Evictions

    /// Appends a version with the data of the newest one, from which nodes were evicted.
    package mutating func append(eviction: consuming Commit) {
        let (place, origin) = (entries[last].place, entries[last].origin)
        _ = append(eviction, at: place)
        entries[last].origin = origin
        entries[last].evictions += 1
    }

    /// The number of versions from the oldest that is still read to the newest, without those that evictions made.
    package var activeVersions: UInt64 {
        head - oldest + 1 - (entries[last].evictions - entries[start].evictions)
    }

    /// Returns the number of the first version with the data of a pinned one.
    package func origin(of number: UInt64) -> UInt64 { entries[index(of: number)].origin }

    /// The number of the first version with the data of the newest one.
    package var headOrigin: UInt64 { entries[last].origin }

    /// Returns the newest version that evictions have made of a pinned one, or nil if there is none. O(log n).
    package func successor(withDataOf number: UInt64) -> UInt64? {
        var index = index(of: number)
        let origin = entries[index].origin
        while let next = entries[index].next, entries[next].origin == origin { index = next }
        return entries[index].number == number ? nil : entries[index].number
    }

    /// The number of bytes that were evicted and are not free yet, approximately. O(retained versions).
    package var evictedByteCount: Int {
        var (sum, index) = (0, entries[start].next)
        while let current = index {
            sum += entries[current].retired.evictedByteCount
            index = entries[current].next
        }
        return sum
    }

    // MARK: Places in the log

    /// Sets the place of the newest version in the store's log.
    package mutating func placeHead(at place: LogPlace) { entries[last].place = place }

    /// Returns the place of a version in the store's log. O(log n).
    package func place(of number: UInt64) -> LogPlace { entries[index(of: number)].place }

    /// Returns the retained version with the contents of a version of the log, or nil if there is none. O(versions after it).
    package func version(at number: UInt64) -> UInt64? {
        var index: Int? = last
        while let current = index, entries[current].place.number >= number {
            if entries[current].place == LogPlace(number) { return entries[current].number }
            index = entries[current].previous
        }
        return nil
    }

    // MARK: Merging

    /// Merges a version with its neighbours as long as they are halves of a block.
    private mutating func merge(around index: Int) {
        var index = index
        while true {
            if isMergeable(index) {
                index = mergeIntoNext(index)
            } else if let previous = entries[index].previous, isMergeable(previous) {
                index = mergeIntoNext(previous)
            } else {
                return
            }
        }
    }

    /// Whether a version is unpinned, and it and the next one are the only retained versions of a block. The first version after
    /// the oldest represents its blocks as a whole, because removed versions before it never return.
    private func isMergeable(_ index: Int) -> Bool {
        // A block that contains the newest version may grow.
        guard entries[index].pins == 0, let previous = entries[index].previous,
            let next = entries[index].next, let following = entries[next].next,
            entries[index].ids.upperBound < entries[next].ids.lowerBound
        else { return false }
        let number = entries[index].number
        let width = UInt64.bitWidth - (number ^ entries[next].number).leadingZeroBitCount
        let firstOfBlock = (number >> width) << width
        let firstOfNextBlock = firstOfBlock + 1 << width
        return (previous == start || entries[previous].number < firstOfBlock)
            && entries[following].first >= firstOfNextBlock
    }

    /// Merges a mergeable version into the next one. Returns the index of the result.
    private mutating func mergeIntoNext(_ index: Int) -> Int {
        let (previous, next) = (entries[index].previous!, entries[index].next!)
        var merged = entries[index]
        entries[index].isKept = false
        (entries[index].changes, entries[index].retired) = (RowChangeSet(), RetireList())
        merged.changes.append(entries[next].changes)
        entries[next].changes = merged.changes
        let older = entries[previous].snapshot
        let isEvicting = heap.cache.isLimited
        merged.retired.append(entries[next].retired, madeBy: merged.ids, heap) {
            older.holds($0, at: $1, isEvicting: isEvicting)
        }
        entries[next].retired = merged.retired
        entries[next].weight += merged.weight
        entries[next].first = merged.first
        entries[next].ids = merged.ids.lowerBound...entries[next].ids.upperBound
        entries[previous].next = next
        entries[next].previous = previous
        count -= 1
        work += entries[next].weight
        return next
    }

    /// Traps if an invariant of the chain is violated between two calls. O(n).
    func checkInvariants() {
        let kept = entries.indices.filter { entries[$0].isKept }
        precondition(kept.first == start && kept.last == last && kept.count == count, "ends of the chain")
        precondition(entries.count <= max(64, 2 * count), "the entries of released versions are removed")
        for (index, next) in zip(kept, kept.dropFirst()) {
            precondition(entries[index].next == next && entries[next].previous == index, "neighbours")
            precondition(entries[index].number < entries[next].first, "numbers ascend")
            precondition(!isMergeable(index), "versions that could be merged")
        }
        precondition(
            entries[start].previous == nil && entries[last].next == nil, "there are entries beyond the ends")
        precondition(start == last || entries[start].pins > 0, "the oldest version is not pinned")
    }

    /// Returns the change sets of the versions after `from` up to `to`, in order; `from` must be pinned. O(versions in between),
    /// because they are neither composed nor copied.
    package func changeSets(from: UInt64, to: UInt64) -> [RowChangeSet] {
        guard from < to else { return [] }
        var (index, sets) = (index(of: from), [RowChangeSet]())
        let end = self.index(of: to)
        while index != end {
            index = entries[index].next!
            sets.append(entries[index].changes)
        }
        return sets
    }

    /// Returns the composed changes from one version to a later one; `from` must be pinned. O(n log n) in the changes in between.
    package func changes(from: UInt64, to: UInt64) -> RowChangeSet {
        RowChangeSet(composing: changeSets(from: from, to: to))
    }

    /// Frees everything, when the store is closed. No version may be pinned.
    package mutating func destroy(_ catalog: Catalog) {
        trim()
        precondition(count == 1, "a version is still pinned")
        headSnapshot.destroy(catalog, heap)
        precondition(heap.liveBlockCount == 0, "a closed store leaves \(heap.liveBlockCount) blocks behind")
        precondition(heap.liveByteCount == 0, "a closed store leaves \(heap.liveByteCount) bytes behind")
    }
}

/// The place of a version in the log of its store.
package struct LogPlace: Sendable, Equatable {
    /// The version of the log up to which the version contains all commits.
    package var number: UInt64
    /// Whether the version contains nothing else. If not, it also has a part of the next commit: some of the transactions that
    /// were logged together.
    package var isWhole: Bool

    /// Creates a place.
    package init(_ number: UInt64, isWhole: Bool = true) { (self.number, self.isWhole) = (number, isWhole) }
}

extension VersionChain {
    /// Creates a chain of one version, number 1: the tables of a checkpoint. Their nodes are loaded from a file on first access.
    /// O(tables).
    package init(heap: Heap, restoring roots: [TableRoot], of file: Int, _ catalog: Catalog) {
        self.init(heap: heap, tables: catalog.tables.count) { snapshot, memory in
            for root in roots {
                let header = TableHeader.make(catalog.tables[root.table], memory)
                (header.count, header.nextKey, header.height) = (root.count, root.nextKey, root.height)
                header.hashSeed = root.hashSeed
                header.ascending = root.ascending
                NodeSlot.expect(.tree(ExpectedTreeNode(root)), header.rootSlot, at: root.root, of: file)
                for (ordinal, index) in root.indexes.enumerated() {
                    NodeSlot.expect(
                        .index(ExpectedIndexNode(root, ordinal)), header.indexes + ordinal, at: index,
                        of: file)
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
            word = UInt(bitPattern: PageFiles.file(of: page).node(at: offset, role, for: nil))
            #endif
        }
        slot.storeBytes(of: word, as: UInt.self)
    }
}
