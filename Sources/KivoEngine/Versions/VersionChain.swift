/// The versions of a store, from the oldest that somebody still reads to the newest.
///
/// Each version knows what its commit changed and what it replaced. When the oldest version is unpinned, what the
/// next one replaced is freed and the chain gets shorter.
///
/// Versions that nobody pinned are merged with the next one, those of like age first, as the digits of a binary counter
/// carry: behind a reader that stalls n commits leave O(log n) versions, whose change sets are composed already, and the
/// nodes, strings and bytes that one commit made and another replaced are freed.
///
///     pinned ── 512 commits ── 128 ── 4 ── 1 ── head
///
/// Not thread-safe: a store guards it with its lock.
public struct VersionChain: Sendable {
    private struct Entry: Sendable {
        var number: UInt64
        var snapshot: Snapshot
        var pins: Int
        /// From the version before to this one.
        var changes: ChangeSet
        var retired: RetireList
        /// How many commits were merged, and the transactions that made them.
        var weight = 1
        var ids: ClosedRange<UInt64>
    }

    private let heap: Heap
    private var entries: [Entry]
    /// Entries before this index are gone; they are cut off in bulk.
    private var start = 0

    /// A chain of one empty version, number 1.
    public init(heap: Heap) { self.init(heap: heap, tables: 0) { _, _ in } }

    /// A chain of one version, number 1, which a function fills.
    init(heap: Heap, tables: Int, _ fill: (Snapshot, WriteMemory) -> Void) {
        self.heap = heap
        let id = UInt64(Int64.max)
        let memory = WriteMemory(id: id, heap: heap)
        let snapshot = Snapshot.make(tables: tables, memory)
        fill(snapshot, memory)
        _ = memory.commit()
        entries = [
            Entry(
                number: 1, snapshot: snapshot, pins: 0, changes: ChangeSet(), retired: RetireList(),
                ids: id...id)
        ]
    }

    /// The number of the newest version.
    public var head: UInt64 { entries[entries.count - 1].number }

    /// The number of the oldest version that somebody still reads.
    public var oldest: UInt64 { entries[start].number }

    /// The newest version's snapshot; valid while pinned.
    public var headSnapshot: Snapshot { entries[entries.count - 1].snapshot }

    /// How many versions are kept.
    public var count: Int { entries.count - start }

    private func index(of number: UInt64) -> Int {
        let index = entries[start...].partitionPoint { $0.number < number }
        precondition(
            index < entries.count && entries[index].number == number, "version \(number) is not kept")
        return index
    }

    /// Keeps a version alive until ``unpin(_:)``; returns its snapshot.
    public mutating func pin(_ number: UInt64) -> Snapshot {
        let index = index(of: number)
        entries[index].pins += 1
        return entries[index].snapshot
    }

    /// Gives up one pin of a version and frees what nobody can read any more.
    public mutating func unpin(_ number: UInt64) {
        let index = index(of: number)
        precondition(entries[index].pins > 0, "version \(number) is not pinned")
        entries[index].pins -= 1
        trim()
    }

    private mutating func trim() {
        while start < entries.count - 1, entries[start].pins == 0 {
            start += 1
            entries[start].retired.free(to: heap)
            // They lead from a version that is gone.
            entries[start].changes = ChangeSet()
        }
        if start > 32, start * 2 > entries.count {
            entries.removeFirst(start)
            start = 0
        }
    }

    /// Puts a commit on top and returns its number. The version before stays at least while it is pinned.
    ///
    /// - Parameters:
    ///   - number: its number, higher than that of the newest; nil for the next one.
    ///   - pins: how often it is pinned already.
    public mutating func append(_ commit: consuming Commit, as number: UInt64? = nil, pins: Int = 0) -> UInt64
    {
        let number = number ?? head + 1
        precondition(number > head, "version \(number) comes after \(head)")
        entries.append(
            Entry(
                number: number, snapshot: commit.snapshot, pins: pins, changes: commit.changes,
                retired: commit.retired, ids: commit.id...commit.id))
        trim()
        merge()
        return number
    }

    /// Merges versions before the newest that nobody pinned.
    private mutating func merge() {
        while entries.count - start >= 3 {
            let (first, second) = (entries.count - 3, entries.count - 2)
            guard entries[first].pins == 0,
                entries[first].weight <= entries[second].weight,
                entries[first].ids.upperBound < entries[second].ids.lowerBound
            else { return }
            var merged = entries.remove(at: first)
            merged.changes.append(entries[first].changes)
            entries[first].changes = merged.changes
            let older = entries[first - 1].snapshot
            merged.retired.append(entries[first].retired, madeBy: merged.ids, heap) {
                older.holds($0, at: $1)
            }
            entries[first].retired = merged.retired
            entries[first].weight += merged.weight
            entries[first].ids = merged.ids.lowerBound...entries[first].ids.upperBound
        }
    }

    /// What the versions after one up to a later one changed, in order; `from` must be pinned. O(versions in between):
    /// nothing is composed or copied.
    public func changeSets(from: UInt64, to: UInt64) -> [ChangeSet] {
        guard from < to else { return [] }
        return entries[index(of: from) + 1...index(of: to)].map(\.changes)
    }

    /// The composed changes from one version to a later one; `from` must be pinned. O(n log n) in the changes in between.
    public func changes(from: UInt64, to: UInt64) -> ChangeSet {
        ChangeSet(composing: changeSets(from: from, to: to))
    }

    /// Frees everything, when the store goes. No version may be pinned.
    public mutating func destroy(_ catalog: Catalog) {
        trim()
        precondition(count == 1, "a version is still pinned")
        headSnapshot.destroy(catalog, heap)
        precondition(heap.liveBlockCount == 0, "a closed store leaves \(heap.liveBlockCount) blocks behind")
        precondition(heap.liveByteCount == 0, "a closed store leaves \(heap.liveByteCount) bytes behind")
    }
}
