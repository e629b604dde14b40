/// What a reader of a store sees at the moment: its snapshot, and whether addresses that it cached are still valid.
///
/// A reader (a realm instance) owns one `ReaderState` in memory of its own. Everything that caches addresses of rows refers to it
/// by one pointer, and compares with it without locks and reference counts; see ``RowReference``.
@usableFromInline package struct ReaderState {
    /// A number that is incremented when cached addresses may become stale.
    @usableFromInline package var generation: UInt64 = 0
    /// The number of increments of ``generation`` after which the reader saw the same data, at other addresses.
    @usableFromInline package var evictions: UInt64 = 0
    /// The number of running pieces of the app's code inside of which code of the library has addresses of rows. The owner maintains
    /// it, not the engine.
    @usableFromInline package var addressesInUse = 0
    /// The number of the open write transaction, or 0 if values may not be stored directly.
    @usableFromInline package var writer: UInt64 = 0
    /// A counter of the changes inside write transactions.
    @usableFromInline package var mutations: UInt64 = 0
    /// The snapshot that the reader sees, or nil if it sees none.
    @usableFromInline package var snapshot: Snapshot?
    /// The number of the only thread on which the reader may be used without further checks, or 0. The owner maintains it, not the
    /// engine.
    @usableFromInline package var thread: UInt64 = 0
    /// The number of observed accessors, which may prevent direct stores of values. The owner maintains it, not the engine.
    @usableFromInline package var observed = 0

    /// Creates the state of a reader that sees nothing.
    @inlinable
    package init() {}

    /// Returns the state of a new reader. The caller owns the memory, and deallocates it after everything that refers to it.
    @usableFromInline package static func allocate() -> UnsafeMutablePointer<ReaderState> {
        let state = UnsafeMutablePointer<ReaderState>.allocate(capacity: 1)
        state.initialize(to: ReaderState())
        return state
    }

    /// Calls `body` with the state of a new reader that has no accessors.
    package static func withTemporary<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<ReaderState>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var state = ReaderState()
        return try withUnsafeMutablePointer(to: &state, body)
    }
}

/// An accessor's cached address of its row. Unmanaged while ``columns`` is nil.
///
/// Reading and writing through the address is safe for these reasons:
///
/// * **The memory exists.** The columns belong to the snapshot that the reader sees. The reader's owner pins its version, or has the
///   open transaction, and every accessor retains that owner. The same owner frees the reader's state, last.
/// * **The address is current.** It is used only while ``generation`` equals the generation of ``reader``. The owner increments that
///   before it sees another snapshot, and the transaction before it moves or copies a leaf, or deletes rows.
/// * **Stores reach only new memory.** A store requires that the column's buffer belongs to the transaction numbered ``writer``,
///   which no other reader sees. The number is 0 outside of a transaction, and while changes of the row have to be reported.
/// * **No two threads use it at once.** Reference and state are used only where the reader's owner belongs, which each write checks
///   and each read in debug builds. The state of a frozen owner, which many threads read, never changes.
@usableFromInline package struct RowReference {
    /// The addresses of the columns of the row's leaf, or nil for an unmanaged object.
    @usableFromInline package var columns: UnsafeMutablePointer<UnsafeMutableRawPointer>?
    /// The slot of the row in its leaf.
    @usableFromInline package var slot = 0
    /// The generation of the reader at which the address was looked up.
    @usableFromInline package var generation: UInt64 = 0
    /// The number of the open write transaction if values of the row may be stored directly, else 0.
    @usableFromInline package var writer: UInt64 = 0
    /// The state of the reader to which the accessor belongs, or nil for an unmanaged object.
    @usableFromInline package var reader: UnsafeMutablePointer<ReaderState>?
    /// The key of the row, or 0 for an unmanaged object.
    @usableFromInline package var key: ObjectKey = 0

    /// Creates the reference of an unmanaged object.
    @inlinable
    package init() {}

    /// Whether the address is valid.
    ///
    /// - Precondition: The reference has a reader.
    @inlinable @inline(__always)
    package var isCurrent: Bool { generation == reader.unsafelyUnwrapped.pointee.generation }

    /// Points to a row of the snapshot that a reader sees at a generation.
    @inlinable @inline(__always)
    package mutating func point(to slot: Int, of leaf: Leaf, at generation: UInt64, writer: UInt64) {
        columns = leaf.columns
        self.slot = slot
        self.generation = generation
        self.writer = writer
    }
}
