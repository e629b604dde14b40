/// A value of an any column or of a sequence of any values, at an address.
///
///      0  ┌──────────────────────────────────────┐
///         │ one or two words, a string, or bytes │
///     16  │ what it is (32), table of links (32) │
///         └──────────────────────────────────────┘
///
/// All zeros are null. An unowned view, like ``ColumnBuffer``.
@usableFromInline package struct AnySlot {
    @usableFromInline let base: UnsafeMutableRawPointer

    /// The number of bytes of a value.
    @inlinable static var stride: Int { 24 }

    /// Creates a view of a slot of a column. Slot 0 is also used for an element of a sequence.
    @inlinable @inline(__always)
    package init(_ column: UnsafeMutableRawPointer, _ slot: Int) { base = column + slot &* AnySlot.stride }

    /// The ``code`` of integers.
    @inlinable package static var int: UInt8 { 2 }

    /// The raw value of the ``AnyTag``.
    @inlinable @inline(__always)
    package var code: UInt8 { (base + 16).load(as: UInt8.self) }

    /// The first word of the value, for types that consist of one word.
    @inlinable @inline(__always)
    package var word: UInt64 { base.load(as: UInt64.self) }

    /// The type of the value.
    var tag: AnyTag { AnyTag(rawValue: code)! }

    /// The value.
    @usableFromInline package var cell: Cell {
        switch tag {
        case .null: .null
        case .bool, .int, .float, .double, .date: .typedWord(word, tag)
        case .decimal128, .objectId, .uuid: .typedWide(word, (base + 8).load(as: UInt64.self), tag)
        case .string: .string(ColumnValues.string(base, 0))
        case .bytes: ColumnValues.optionalBytes(base, 0).map(Cell.bytes) ?? .null
        case .link: .typedLink(target)
        }
    }

    /// The row to which a link leads.
    private var target: RowID {
        RowID(table: TableID((base + 20).load(as: UInt32.self)), key: base.load(as: ObjectKey.self))
    }

    /// The row to which the value leads, or nil if it is not a link.
    var link: RowID? { code == AnyTag.link.rawValue ? target : nil }

    /// Initialises the value. The node takes over the ownership of references.
    func initialize(_ cell: Cell) {
        clear(cell.anyTag)
        switch cell {
        case .null: break
        case .typedWord(let word, _): base.storeBytes(of: word, as: UInt64.self)
        case .typedWide(let a, let b, _):
            base.storeBytes(of: a, as: UInt64.self)
            base.storeBytes(of: b, toByteOffset: 8, as: UInt64.self)
        case .string(let string): ColumnValues.initialize(base, string)
        case .bytes(let bytes): ColumnValues.initialize(base, bytes)
        case .typedLink(let row):
            base.storeBytes(of: row.key, as: ObjectKey.self)
            base.storeBytes(of: UInt32(row.table), toByteOffset: 20, as: UInt32.self)
        case .word, .wide, .link: break
        }
    }

    /// Initialises the slot with the type of a value, and zeros for the value itself.
    func clear(_ tag: AnyTag) {
        base.initializeMemory(as: UInt64.self, repeating: 0, count: 3)
        base.storeBytes(of: tag.rawValue, toByteOffset: 16, as: UInt8.self)
    }

    /// The reference that the value owns, or nil if it owns none.
    var ownedBits: OwnedBits? {
        switch tag {
        case .string: OwnedBits(stringAt: base, isAny: true)
        case .bytes: OwnedBits(bytesAt: base, isAny: true)
        default: nil
        }
    }

    /// The large value of the slot, or nil if there is none.
    var large: LargeSlot? {
        switch tag {
        case .string: LargeSlot(stringAt: base)
        case .bytes: LargeSlot(bytesAt: base)
        default: nil
        }
    }
}
