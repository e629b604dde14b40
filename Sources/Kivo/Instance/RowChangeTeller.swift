import KivoEngine

/// Who is to be told of changes of single rows before and after they are made, as an instance, its objects and its
/// collections know it. This one has nobody to tell: key-value observing puts one in its place that has, when something is
/// observed first.
///
/// Confined with the instance.
class RowChangeTeller {
    /// The way that an instance goes between two versions.
    enum Direction {
        /// To a newer version.
        case forward
        /// Back to the version before a transaction.
        case back
    }

    /// The words of the realm's reader, among them the number of observed accessors. Owned by the realm instance.
    private final let reader: UnsafeMutablePointer<UInt64>

    init(_ reader: UnsafeMutablePointer<UInt64>) { self.reader = reader }

    /// The number of observed accessors.
    @inline(__always)
    final var count: Int {
        get { Int(truncatingIfNeeded: reader[ReaderState.observed]) }
        set { reader[ReaderState.observed] = UInt64(newValue) }
    }

    final var isEmpty: Bool { count == 0 }

    /// Whether a row is observed. O(1).
    @inline(__always)
    final func contains(_ table: TableID, _ key: ObjectKey) -> Bool { count != 0 && observes(table, key) }

    func observes(_ table: TableID, _ key: ObjectKey) -> Bool { false }

    /// Carries out an assignment to a property of an object.
    func changing(_ object: ObjectBase, _ column: Int, _ change: () -> Void) { change() }

    /// Carries out a change of a property.
    func changing(_ row: RowID, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void) {
        change()
    }

    /// Carries out a deletion: links to what dies become nil, lists lose it, and it becomes invalid.
    ///
    /// - Parameters:
    ///   - cause: the change of a property that the deletion follows from, if it does.
    ///   - withLists: whether lists that hold the dying objects are told here (and not by who empties them).
    func deleting(
        _ instance: RealmInstance, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        cause: (row: RowID, column: Int, kind: CollectionChangeKind)? = nil, withLists: Bool = true,
        _ change: () -> Void
    ) {
        change()
    }

    /// Opens the changes of a move before it is made; whoever makes the move closes them after it.
    func willMove(_ instance: RealmInstance, _ changes: ChangeSet, _ direction: Direction)
        -> (any OpenRowChanges)?
    {
        nil
    }

    /// Carries out what makes every accessor invalid.
    func invalidateAll(_ change: () -> Void) { change() }

    /// Lets go of what ended on other threads.
    func remove(_ left: InstanceHandle.Left) {}
}

/// Changes of rows of which the half before was told.
protocol OpenRowChanges {
    /// Tells the half after.
    mutating func close()
}
