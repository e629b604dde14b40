import Synchronization

/// A string or an array of bytes that is too large for the page of its row. In a file it has a page of its own, which is read
/// with the property.
///
/// In memory it is reference-counted by Swift, like a string, and has the owner that a string in its place would have: see
/// ``OwnedBits``. It stores its page, so that a checkpoint of a row with other changes does not write it again.
final class LargeValue: Sendable {
    /// The largest number of bytes of a value in the page of its row.
    static let threshold = ColumnValues.largest

    /// The value, a string or bytes.
    let cell: Cell
    /// The page that contains the value, in the form of the owner of a node; 0 if there is none.
    private let owner = Atomic<UInt64>(0)

    #if DEBUG
    /// The number of instances in the process, for tests.
    static let liveCount = Atomic<Int>(0)
    #endif

    init(_ cell: Cell) {
        self.cell = cell
        #if DEBUG
        LargeValue.liveCount.add(1, ordering: .relaxed)
        #endif
    }

    #if DEBUG
    deinit { LargeValue.liveCount.subtract(1, ordering: .relaxed) }
    #endif

    /// The page that contains the value. Set by the checkpoint that wrote it.
    var page: PageReference? {
        get { PageReference(owner: owner.load(ordering: .relaxed)) }
        set { owner.store(newValue?.owner ?? 0, ordering: .relaxed) }
    }
}
