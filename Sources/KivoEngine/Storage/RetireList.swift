/// The blocks and values that one commit replaced: older versions still need them, the new version does not.
///
/// Owned by the version that replaced them; freed once every older version is unpinned.
@usableFromInline package struct RetireList {
    var blocks: [UnsafeMutableRawPointer] = []
    var values: [RetiredValue] = []
    /// The number of bytes on the list that are in pages as well, approximately: they were evicted, not replaced.
    package internal(set) var evictedByteCount = 0
    /// Whether some of the values are in files.
    private var hasValuesInFiles = false

    /// Creates an empty list.
    package init() {}

    mutating func append(_ value: RetiredValue) {
        values.append(value)
        if value.bits.page != nil { hasValuesInFiles = true }
    }

    /// Merges the list of the next commits after the version between was unpinned. Values that these commits both stored and
    /// replaced are in no remaining version and are freed at once.
    ///
    /// - Parameters:
    ///   - ids: the transactions whose replacements are on this list.
    ///   - isSeen: returns whether the version before those transactions contains a value in a row.
    mutating func append(
        _ later: RetireList, madeBy ids: ClosedRange<UInt64>, _ heap: Heap,
        _ isSeen: (OwnedBits, ValueLocation) -> Bool
    ) {
        evictedByteCount += later.evictedByteCount
        for value in later.values {
            let isOlder =
                switch value.origin {
                case .element(let id): !ids.contains(id)
                case .row(let location): isSeen(value.bits, location)
                }
            if isOlder { values.append(value) } else { value.free() }
        }
        for block in later.blocks {
            if ids.contains(block.nodeOwner) { heap.free(block) } else { blocks.append(block) }
        }
    }

    /// Retains the values that are only in files, although no later checkpoint refers to them.
    func retainValuesInFiles() {
        for value in values where hasValuesInFiles {
            if let page = value.bits.page { PageFiles.file(of: page).retainValue(at: page.offset) }
        }
    }

    /// Frees everything on the list.
    package mutating func free(to heap: Heap) {
        heap.cache.forget(blocks)
        for value in values { value.free() }
        for block in blocks { heap.free(block) }
        values = []
        blocks = []
        evictedByteCount = 0
    }
}

/// A list has one owner at a time: the transaction that makes it, then the version chain that frees it.
extension RetireList: @unchecked Sendable {}

/// The location of a value: a row and a column.
struct ValueLocation {
    var table: Int32
    var column: Int32
    var key: ObjectKey

    init(_ table: TableID, _ column: Int, _ key: ObjectKey) {
        (self.table, self.column, self.key) = (Int32(table), Int32(column), key)
    }
}

/// A string or bytes that the newest version no longer contains.
struct RetiredValue {
    /// The former location of a value, which determines the versions that contain it.
    enum Origin {
        /// A row. The versions that contain the value have it there.
        case row(ValueLocation)
        /// A collection, which stored the number of the transaction that added the value.
        case element(storedBy: UInt64)
    }

    let bits: OwnedBits
    let origin: Origin

    /// Frees the value, which no version contains any more.
    func free() {
        // The files may have been closed with the store.
        if let page = bits.page {
            PageFiles.file(page.file)?.releaseValue(at: page.offset)
        } else {
            bits.release()
        }
    }
}
