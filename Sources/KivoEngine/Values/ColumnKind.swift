/// How the values of a column are laid out in a leaf.
public enum ColumnKind: UInt8, Sendable {
    /// 8 bytes that own nothing: integers, booleans, floating point, dates. Null is a bit beside the buffer.
    case word
    /// 16 bytes that own nothing: UUIDs, object ids, decimals. Null is a bit beside the buffer.
    case wide
    /// A Swift `String?`, 16 bytes.
    case string
    /// A Swift `[UInt8]?`, 8 bytes.
    case bytes
    /// The key of an object of ``ColumnSpec/target``, or 0.
    case link
    /// The root of a persistent sequence of ``ColumnSpec/element``, or 0 for an empty one.
    case sequence
    /// A ``KeyMultiset``: the origins of a link column, kept for one target. Only in backlink tables.
    case keySet

    var stride: Int {
        switch self {
        case .wide, .string: 16
        default: 8
        }
    }
}
