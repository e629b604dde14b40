import KivoEngine

/// The rows of a realm instance that somebody observes by key-value observing. Confined with it.
///
/// All observed accessors of a row are told of a change, whichever of them it went through. Who observes a row is found by
/// its table and key; what a change costs does not hang on how many other rows are observed.
///
/// The registry holds the observations, and those do not hold their accessor. It may be let go of on any thread: see
/// ``Observations/liveSubject``.
final class KeyValueRegistry {
    /// By table.
    @exclusivity(unchecked) private var tables: ContiguousArray<ObservedTable> = []
    /// The words of the realm's reader, among them the number of observed accessors. Owned by the realm instance.
    private let reader: UnsafeMutablePointer<UInt64>

    #if DEBUG
    /// The observed rows and the references of dying objects that deletions looked at: what tests measure growth by.
    /// Counted in debug builds only.
    @exclusivity(unchecked) private(set) var work = 0
    #endif

    init(_ reader: UnsafeMutablePointer<UInt64>) { self.reader = reader }

    /// The number of observed accessors.
    @inline(__always)
    private(set) var count: Int {
        get { Int(truncatingIfNeeded: reader[ReaderState.observed]) }
        set { reader[ReaderState.observed] = UInt64(newValue) }
    }

    var isEmpty: Bool { count == 0 }

    /// Counts work, in debug builds.
    @inline(__always)
    func countWork(_ amount: Int) {
        #if DEBUG
        work += amount
        #endif
    }

    // MARK: Finding

    /// Whether a row is observed. O(1).
    @inline(__always)
    func contains(_ table: TableID, _ key: ObjectKey) -> Bool {
        count != 0 && table < tables.count && tables[table].contains(key)
    }

    /// Who observes a row, if anybody does. O(1).
    @inline(__always)
    func observers(_ table: TableID, _ key: ObjectKey) -> RowObservers? {
        count != 0 && table < tables.count ? tables[table].observers(of: key) : nil
    }

    /// The number of observed rows of a table.
    func rowCount(_ table: TableID) -> Int { table < tables.count ? tables[table].count : 0 }

    /// The number of blocks of 256 keys of a table that hold observed rows.
    func blockCount(_ table: TableID) -> Int { table < tables.count ? tables[table].blockCount : 0 }

    /// The observed rows of a block of 256 keys, as the low bits of the keys. O(1).
    func observed(_ table: TableID, in block: KeyBlock) -> Bits256 {
        table < tables.count ? tables[table].observed(in: block) : Bits256()
    }

    /// The blocks of a table that hold observed rows, ascending. O(blocks · log blocks).
    func observedBlocks(_ table: TableID) -> [KeyBlock] { tables[table].observedBlocks }

    /// The observed rows of a table, ascending. O(n).
    func keys(_ table: TableID) -> [ObjectKey] { tables[table].keys }

    /// All observed rows, ascending by table and key. O(n).
    var rows: [RowID] {
        tables.indices.flatMap { table in keys(table).map { RowID(table: table, key: $0) } }
    }

    // MARK: Registering

    func add(_ observations: Observations, _ row: RowID) {
        while tables.count <= row.table { tables.append(ObservedTable()) }
        tables[row.table].add(observations, row.key)
        count += 1
    }

    func remove(_ observations: Observations, _ row: RowID) {
        guard row.table < tables.count, tables[row.table].remove(observations, row.key) else { return }
        count -= 1
    }

    /// Lets go of what belonged to objects that were let go of on other threads, and of what was ended there.
    func remove(_ left: InstanceHandle.Left) {
        for ended in left.ended { ended.takeRetainedValue().endWithSubject(self) }
        for observation in left.observations { observation.end() }
    }
}
