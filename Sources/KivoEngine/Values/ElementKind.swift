/// What the elements of a sequence are.
public enum ElementKind: UInt8, Sendable {
    case word, optionalWord, wide, optionalWide, string, bytes, link, any

    /// What an element takes: whole words. Strings, bytes and any values have the number of the transaction that stored them behind
    /// them, in the last word, which says which versions see them.
    var stride: Int {
        switch self {
        case .word, .link: 8
        case .optionalWord, .wide: 16
        case .optionalWide: 24
        case .string: (MemoryLayout<String?>.size + 7) & ~7 + 8
        case .bytes: (MemoryLayout<[UInt8]?>.size + 7) & ~7 + 8
        case .any: AnySlot.stride + 8
        }
    }

    /// Whether elements hold references that nodes own.
    var isReference: Bool { self == .string || self == .bytes || self == .any }

    /// Whether elements are, or can be, links.
    public var isLinking: Bool { self == .link || self == .any }
}
