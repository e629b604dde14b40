/// The kind of the elements of a sequence.
public enum ElementKind: UInt8, Sendable {
    case word, optionalWord, wide, optionalWide, string, bytes, link, any

    /// Whether elements contain references that nodes own.
    var isReference: Bool { self == .string || self == .bytes || self == .any }

    /// A Boolean value that indicates whether elements are, or can be, links.
    public var isLinking: Bool { self == .link || self == .any }
}
