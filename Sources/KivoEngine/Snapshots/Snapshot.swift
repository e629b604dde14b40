/// An immutable version of all data.
///
///     ┌────────────────────┐
///     │  0  owner          │
///     │  8  table count    │
///     │ 16  table headers  │
///     └────────────────────┘
///
/// An unowned view: valid while the version is pinned, or, in a write transaction, until its next change.
@usableFromInline package struct Snapshot {
    let base: UnsafeMutableRawPointer

    init(base: UnsafeMutableRawPointer) { self.base = base }

    /// Whether two views are of the same snapshot in memory.
    @usableFromInline package static func === (a: Snapshot, b: Snapshot) -> Bool { a.base == b.base }

    static func byteCount(tables: Int) -> Int { 16 + tables * 8 }

    var tableCount: Int { base.load(fromByteOffset: 8, as: Int.self) }
    var headers: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (base + 16).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Returns a table of this version. Tables that the version does not contain are empty.
    @inline(__always)
    package func table(_ id: TableID) -> Table {
        id < tableCount ? Table(header: headers[id].map(TableHeader.init)) : Table(header: nil)
    }

    /// Whether a row contains the string or bytes that a later version replaced.
    func holds(_ bits: OwnedBits, at location: ValueLocation) -> Bool {
        guard let (leaf, slot) = table(TableID(location.table)).locate(location.key) else { return false }
        return leaf.column(Int(location.column)).ownedBits(slot, bits.columnKind)?.isSame(as: bits) ?? false
    }

    static func make(tables: Int, _ memory: WriteMemory) -> Snapshot {
        let snapshot = Snapshot(base: memory.allocate(byteCount(tables: tables)))
        snapshot.base.storeBytes(of: tables, toByteOffset: 8, as: Int.self)
        for index in 0..<tables { snapshot.headers[index] = nil }
        return snapshot
    }

    /// Returns a copy that the transaction owns, with room for at least `tables` tables.
    func copy(tables: Int, _ memory: WriteMemory) -> Snapshot {
        let copy = Snapshot.make(tables: max(tables, tableCount), memory)
        for index in 0..<tableCount { copy.headers[index] = headers[index] }
        memory.retire(base)
        return copy
    }
}

/// The memory of a committed version is immutable, and the holder of a snapshot keeps its version pinned. Only a transaction's
/// snapshot changes, and it stays with the transaction.
extension Snapshot: @unchecked Sendable {}
