/// The rows of a table that satisfy a predicate, for a scan that asks for the targets of many links.
///
/// The first rows are tested one by one. After as many as a share of the table, whole blocks of rows are scanned, each when it is
/// first asked for, and the answers are kept as bits: a row costs then as much as a read of memory, however often it is linked.
///
/// Owns the bits. Valid as long as the snapshot. Belongs to one scan.
final class MatchingRows {
    private let predicate: RowPredicate
    private let scan: LeafScan
    private let snapshot: Snapshot
    private let table: Table
    /// The leaf of the last row that was tested alone, because neighbours often link to neighbours.
    private var last: Leaf?
    /// The number of rows that are still tested one by one.
    private var singleTests: Int
    private let blockCount: Int
    /// The matching rows of each block; nil as long as rows are tested one by one.
    private var blocks: UnsafeMutableBufferPointer<Bits256>?
    /// Whether a block was scanned.
    private var isScanned: UnsafeMutableBufferPointer<Bool>?

    /// The number of rows of the table for each one that is tested alone before blocks are scanned. Comparing a whole column is
    /// at least that much faster for each row. A scan tests rules, and values behind links, row by row, too, and only saves
    /// repetitions.
    private static let (cheapShare, costlyShare) = (64, 2)
    /// The largest cost of a predicate that is tested by comparing columns.
    private static let cheapCost = 30.0

    init(_ predicate: RowPredicate, _ table: TableID, _ snapshot: Snapshot) {
        (self.predicate, self.snapshot, self.table) = (predicate, snapshot, snapshot.table(table))
        scan = predicate.scan(snapshot)
        blockCount = KeyBlock(of: self.table.nextKey).number + 1
        let isCheap = predicate.cost <= Self.cheapCost
        // Few rows can be spread over many blocks, whose bits must not cost more than the tests.
        singleTests = max(
            self.table.count / (isCheap ? Self.cheapShare : Self.costlyShare), blockCount / Self.cheapShare)
    }

    deinit {
        blocks?.deallocate()
        isScanned?.deallocate()
    }

    /// Returns whether there is such a row, and it satisfies the predicate.
    @inline(__always)
    func contains(_ key: ObjectKey) -> Bool {
        let block = KeyBlock(of: key)
        guard let blocks, let isScanned, block.number < blocks.count, isScanned[block.number] else {
            return search(key)
        }
        return blocks[block.number].contains(KeyBlock.offset(of: key))
    }

    @inline(never)
    private func search(_ key: ObjectKey) -> Bool {
        if key == 0 { return false }
        if singleTests > 0 {
            singleTests -= 1
            if last?.covers(key) != true { last = table.leaf(containing: key) }
            guard let leaf = last, let slot = leaf.slot(of: key) else { return false }
            return predicate.holds(snapshot, Row(leaf, slot, key))
        }
        if blocks == nil {
            blocks = .allocate(capacity: blockCount)
            isScanned = .allocate(capacity: blockCount)
            isScanned!.initialize(repeating: false)
        }
        let block = KeyBlock(of: key)
        guard block.number < blockCount else { return false }
        blocks![block.number] = matches(in: block)
        isScanned![block.number] = true
        return contains(key)
    }

    private func matches(in block: KeyBlock) -> Bits256 {
        var (bits, leaf) = (Bits256(), table.nextLeaf(from: block.key(at: 0)))
        while let next = leaf, next.block == block {
            bits = bits | next.keyBits(of: scan(next, next.occupied))
            leaf = table.nextLeaf(after: next)
        }
        return bits
    }
}
