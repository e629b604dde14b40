import KivoEngine

/// The interface by which an instance, its objects and its collections notify observers before and after changes of single rows.
/// This class notifies none. Key-value observing replaces it with a subclass when the first row is observed.
///
/// Confined with the instance.
class RowChangeNotifier {
    /// The direction in which an instance moves between two versions.
    enum Direction {
        /// To a newer version.
        case forward
        /// Back to the version before a transaction.
        case back
    }

    /// The state of the realm's reader, with the number of observed accessors. Owned by the realm instance.
    private final let reader: UnsafeMutablePointer<ReaderState>

    init(_ reader: UnsafeMutablePointer<ReaderState>) { self.reader = reader }

    /// The number of observed accessors.
    @inline(__always)
    final var count: Int {
        get { reader.pointee.observed }
        set { reader.pointee.observed = newValue }
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

    /// Carries out a deletion: links to the deleted objects become nil, lists lose them, and the objects become invalid.
    ///
    /// - Parameters:
    ///   - cause: The change of a property that causes the deletion, or nil if there is none.
    ///   - withLists: Whether this call notifies the observers of lists that hold the deleted objects. Otherwise the code that
    ///     empties the lists does.
    func deleting(
        _ instance: RealmInstance, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        cause: (row: RowID, column: Int, kind: CollectionChangeKind)? = nil, withLists: Bool = true,
        _ change: () -> Void
    ) {
        change()
    }

    /// Notifies observers before a move is made. The caller closes the result after the move.
    func willMove(_ instance: RealmInstance, _ changes: RowChangeSet, _ direction: Direction)
        -> (any OpenRowChanges)?
    {
        nil
    }

    /// Carries out a change that makes every accessor invalid.
    func invalidateAll(_ change: () -> Void) { change() }

    /// Releases the observations that ended on other threads.
    func remove(_ ended: InstanceHandle.EndedElsewhere) {}
}

/// Changes of rows whose observers were notified before the change, and not yet after it.
protocol OpenRowChanges {
    /// Notifies the observers after the change.
    mutating func close()
}
