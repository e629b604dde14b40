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
