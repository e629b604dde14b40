import Synchronization

/// A slot of a column or an element that contains a ``LargeValue`` instead of a string or bytes: the value in memory, or a
/// ``PageReference``.
///
///                63 … 3                              2  1  0
///     ┌──────────────────────────────────────────┬──────────┐
///     │ address of a `LargeValue`                │  0  0  1 │   it is in memory
///     ├──────────────────────────────────────────┼──────────┤
///     │ file and offset of a page                │  0  1  0 │   it is in a file
///     ├──────────────────────────────────────────┴──────────┤
///     │ 1                                                   │   after it, in the slot of a string
///     └─────────────────────────────────────────────────────┘
///
/// On 64-bit platforms, neither form is ever the word of an array, nor is 1 the second word of a string or of null. On platforms
/// with smaller words there are no such slots, and all values are in place.
///
/// A value in a file is not cached: it is read on each access, and a slot that refers to it owns nothing. An unowned view.
struct LargeSlot {
    /// The word of the slot.
    private let word: UInt64
    /// Whether the value is a string; otherwise it is bytes.
    let isString: Bool

    private static let memoryMark: UInt64 = 1

    /// Creates a view of the slot of a string. Returns nil if the slot contains the string itself.
    @inline(__always)
    init?(stringAt slot: UnsafeRawPointer) {
        guard ColumnValues.isLarge(stringAt: slot) else { return nil }
        (word, isString) = (slot.load(as: UInt64.self), true)
    }

    /// Creates a view of the slot of bytes. Returns nil if the slot contains the bytes themselves.
    @inline(__always)
    init?(bytesAt slot: UnsafeRawPointer) {
        guard ColumnValues.isLarge(bytesAt: slot) else { return nil }
        (word, isString) = (slot.load(as: UInt64.self), false)
    }

    /// Creates a view from the words of a slot. Returns nil if they contain the value itself.
    init?(words: (UInt64, UInt64), isString: Bool) {
        #if _pointerBitWidth(_64)
        guard isString ? words.1 == ColumnValues.largeMark : words.0 & 3 != 0 else { return nil }
        word = words.0
        self.isString = isString
        #else
        return nil
        #endif
    }

    /// The page that contains the value, or nil if the value is in memory.
    var page: PageReference? { PageReference(stub: word) }

    /// The value in memory, or nil if it is in a file.
    var value: LargeValue? { reference?.takeUnretainedValue() }

    private var reference: Unmanaged<LargeValue>? {
        guard word & 3 == LargeSlot.memoryMark else { return nil }
        return UnsafeRawPointer(bitPattern: UInt(word & ~3)).map { Unmanaged.fromOpaque($0) }
    }

    /// Releases the value, if it is in memory.
    func release() { reference?.release() }

    /// The value, which is read if it is in a file.
    var cell: Cell {
        if let value { return value.cell }
        let page = page!
        return PageFiles.file(of: page).value(at: page.offset, isString: isString)
    }

    // MARK: Storing

    /// Initialises a slot of a string or of bytes with a value of more than ``LargeValue/threshold`` bytes, which the slot owns.
    static func initialize(_ slot: UnsafeMutableRawPointer, _ cell: Cell) {
        #if _pointerBitWidth(_64)
        let address = Unmanaged.passRetained(LargeValue(cell)).toOpaque()
        store(UInt64(UInt(bitPattern: address)) | memoryMark, in: slot, isString: cell.isString)
        #else
        switch cell {
        case .string(let string): ColumnValues.strings(slot).initialize(to: string)
        case .bytes(let bytes): ColumnValues.bytes(slot).initialize(to: bytes)
        default: fatalError("\(cell) is neither a string nor bytes")
        }
        #endif
    }

    /// Makes a slot refer to a page of a file that contains a string or bytes.
    static func refer(_ slot: UnsafeMutableRawPointer, to page: PageReference, isString: Bool) {
        #if _pointerBitWidth(_64)
        store(page.stub, in: slot, isString: isString)
        #else
        initialize(slot, PageFiles.file(of: page).value(at: page.offset, isString: isString))
        #endif
    }

    private static func store(_ word: UInt64, in slot: UnsafeMutableRawPointer, isString: Bool) {
        slot.storeBytes(of: word, as: UInt64.self)
        if isString { slot.storeBytes(of: ColumnValues.largeMark, toByteOffset: 8, as: UInt64.self) }
    }
}

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
