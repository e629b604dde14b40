/// A slot of a column or an element that has a ``LargeValue`` instead of a string or bytes: the value in memory, or a
/// ``PageReference``.
///
///                63 … 3                              2  1  0
///     ┌──────────────────────────────────────────┬──────────┐
///     │ address of a `LargeValue`                │  0  0  1 │   it is in memory
///     ├──────────────────────────────────────────┼──────────┤
///     │ file and offset of a page                │  0  1  0 │   it is in a file
///     ├──────────────────────────────────────────┴──────────┤
///     │ 1                                                   │   behind it, in the slot of a string
///     └─────────────────────────────────────────────────────┘
///
/// Neither is ever the word of an array, nor 1 the second word of a string or of null, on a platform of 64 bits. Where words are
/// smaller there are no such slots, and all values lie in them.
///
/// A value in a file stays there: it is read again each time, and a slot that leads to it owns nothing. An unowned view.
struct LargeSlot {
    /// The word of the slot.
    private let word: UInt64
    /// Whether the value is a string; it is bytes otherwise.
    let isString: Bool

    private static let memoryMark: UInt64 = 1

    /// The slot of a string, or nil if it holds the string itself.
    @inline(__always)
    init?(stringAt slot: UnsafeRawPointer) {
        guard ColumnValues.isLarge(stringAt: slot) else { return nil }
        (word, isString) = (slot.load(as: UInt64.self), true)
    }

    /// The slot of bytes, or nil if it holds them itself.
    @inline(__always)
    init?(bytesAt slot: UnsafeRawPointer) {
        guard ColumnValues.isLarge(bytesAt: slot) else { return nil }
        (word, isString) = (slot.load(as: UInt64.self), false)
    }

    /// The words of a slot that were taken out of it; nil if they hold the value itself.
    init?(words: (UInt64, UInt64), isString: Bool) {
        #if _pointerBitWidth(_64)
        guard isString ? words.1 == ColumnValues.largeMark : words.0 & 3 != 0 else { return nil }
        word = words.0
        self.isString = isString
        #else
        return nil
        #endif
    }

    /// The page that holds the value, if it is not in memory.
    var page: PageReference? { PageReference(stub: word) }

    /// The value in memory, or nil.
    var value: LargeValue? { reference?.takeUnretainedValue() }

    private var reference: Unmanaged<LargeValue>? {
        guard word & 3 == LargeSlot.memoryMark else { return nil }
        return UnsafeRawPointer(bitPattern: UInt(word & ~3)).map { Unmanaged.fromOpaque($0) }
    }

    /// Gives up the value, if it is in memory.
    func release() { reference?.release() }

    /// The value, which is read if it is in a file.
    var cell: Cell {
        if let value { return value.cell }
        let page = page!
        return PageFiles.file(of: page).value(at: page.offset, isString: isString)
    }

    // MARK: Storing

    /// Initialises a slot of a string or of bytes with a value of more than ``LargeValue/threshold`` bytes; the slot owns it.
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

    /// Makes a slot lead to a page of a file that holds a string, or bytes.
    ///
    /// - Parameter isAny: Whether the slot is one of any values.
    static func refer(
        _ slot: UnsafeMutableRawPointer, to page: PageReference, isString: Bool, isAny: Bool
    ) {
        if isAny { AnySlot(slot, 0).clear(isString ? .string : .bytes) }
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

extension Cell {
    /// A string or bytes.
    init(_ bytes: UnsafeRawBufferPointer, isString: Bool) {
        self = isString ? .string(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
    }

    /// The empty string, or no bytes.
    static func empty(isString: Bool) -> Cell { isString ? .string("") : .bytes([]) }

    /// Whether this is a string.
    var isString: Bool { if case .string = self { true } else { false } }

    /// The number of bytes of a string or of bytes; 0 of other values.
    public var byteCount: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .bytes(let bytes): bytes.count
        default: 0
        }
    }
}
