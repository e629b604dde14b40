/// The memory layout of the values of a column in a leaf.
@usableFromInline package enum ColumnKind: UInt8, Sendable {
    /// 8 bytes that own nothing: integers, booleans, floating point, dates. Null is a bit beside the buffer.
    case word
    /// 16 bytes that own nothing: UUIDs, object ids, decimals. Null is a bit beside the buffer.
    case wide
    /// A Swift `String?`.
    case string
    /// A Swift `[UInt8]?`.
    case bytes
    /// The key of an object of ``ColumnSpec/target``, or 0.
    case link
    /// The root of a persistent sequence of ``ColumnSpec/element``, or 0 for an empty one.
    case sequence
    /// A ``KeyMultiset``: the origins of a link column that refer to one target. Only in backlink tables.
    case keySet
    /// A value of any type, which contains its type: see ``AnySlot``. It can be a link to any table.
    case any
}

/// The kind of the elements of a sequence.
@usableFromInline package enum ElementKind: UInt8, Sendable {
    case word, optionalWord, wide, optionalWide, string, bytes, link, any

    /// Creates the kind of the elements whose values have a column's layout. Traps on layouts that only columns have.
    @inlinable
    package init(_ column: ColumnKind, isOptional: Bool) {
        switch column {
        case .word: self = isOptional ? .optionalWord : .word
        case .wide: self = isOptional ? .optionalWide : .wide
        case .string: self = .string
        case .bytes: self = .bytes
        case .link: self = .link
        case .any: self = .any
        case .sequence, .keySet: fatalError("no element has the layout \(column)")
        }
    }

    /// Whether elements contain references that nodes own.
    var isReference: Bool { self == .string || self == .bytes || self == .any }

    /// A Boolean value that indicates whether elements are, or can be, links.
    @usableFromInline package var isLinking: Bool { self == .link || self == .any }
}
