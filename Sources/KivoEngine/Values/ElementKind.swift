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
