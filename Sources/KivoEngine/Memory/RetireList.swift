/// What one commit replaced: blocks and values that older versions still see and the new one does not.
///
/// Owned by the version that replaced them; freed once every older version is unpinned.
public struct RetireList {
    var blocks: [UnsafeMutableRawPointer] = []
    var values: [RetiredValue] = []
    /// Whether some of the values are in files.
    private var hasValuesInFiles = false

    /// An empty list.
    public init() {}

    mutating func append(_ value: RetiredValue) {
        values.append(value)
        if value.bits.page != nil { hasValuesInFiles = true }
    }

    /// Adds what the next commits replaced, when nobody reads the version between. What they replaced of the commits that
    /// this list is of is seen by nobody, and goes at once.
    ///
    /// - Parameters:
    ///   - ids: the transactions that this list is of.
    ///   - isSeen: whether the version before them has a value in a row.
    mutating func append(
        _ later: RetireList, madeBy ids: ClosedRange<UInt64>, _ heap: Heap,
        _ isSeen: (OwnedBits, ValuePlace) -> Bool
    ) {
        for value in later.values {
            let isOlder =
                switch value.origin {
                case .element(let id): !ids.contains(id)
                case .row(let place): isSeen(value.bits, place)
                }
            if isOlder { values.append(value) } else { value.free() }
        }
        for block in later.blocks {
            if ids.contains(block.nodeOwner) { heap.free(block) } else { blocks.append(block) }
        }
    }

    /// Has the files keep the values that are not in memory, though no checkpoint from now on leads to them.
    func keepValuesInFiles() {
        for value in values where hasValuesInFiles {
            if let page = value.bits.page { PageFiles.file(of: page).keepValue(at: page.offset) }
        }
    }

    /// Frees everything on the list.
    public mutating func free(to heap: Heap) {
        for value in values { value.free() }
        for block in blocks { heap.free(block) }
        values = []
        blocks = []
    }
}

/// A list has one owner at a time: the transaction that makes it, then the version chain that frees it.
extension RetireList: @unchecked Sendable {}

/// Where a row keeps a value.
struct ValuePlace {
    var table: Int32
    var column: Int32
    var key: ObjectKey

    init(_ table: TableID, _ column: Int, _ key: ObjectKey) {
        (self.table, self.column, self.key) = (Int32(table), Int32(column), key)
    }
}

/// A string or bytes that the newest version no longer holds.
struct RetiredValue {
    /// What tells which versions see a value.
    enum Origin {
        /// It was in a row: a version that sees it has it there.
        case row(ValuePlace)
        /// It was in a collection, which kept the number of the transaction that put it there.
        case element(storedBy: UInt64)
    }

    let bits: OwnedBits
    let origin: Origin

    /// Gives up the value: no version sees it any more.
    func free() {
        // The files may have gone with the store.
        if let page = bits.page {
            PageFiles.file(page.file)?.giveUpValue(at: page.offset)
        } else {
            bits.release()
        }
    }
}
