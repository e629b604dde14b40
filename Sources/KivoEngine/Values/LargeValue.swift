import Synchronization

/// A string or an array of bytes that is too large to lie in the page of its row: in a file it has a page of its own, which is
/// read with the property.
///
/// In memory it is counted by Swift, as a string is, and belongs to whom a string in its place would: see ``OwnedBits``. It knows
/// its page, so that a checkpoint of a row that was changed elsewhere does not write it again.
final class LargeValue: Sendable {
    /// How many bytes a value has at most that lies in the page of its row.
    static let threshold = ColumnValues.largest

    /// The value, a string or bytes.
    let cell: Cell
    /// The page that holds the value, as the owner of a node says it; 0 if there is none.
    private let owner = Atomic<UInt64>(0)

    #if DEBUG
    /// How many there are in the process, for tests.
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

    /// The page that holds the value. A checkpoint that has written it says so.
    var page: PageReference? {
        get { PageReference(owner: owner.load(ordering: .relaxed)) }
        set { owner.store(newValue?.owner ?? 0, ordering: .relaxed) }
    }
}
