/// The kind of the elements of a sequence.
public enum ElementKind: UInt8, Sendable {
    case word, optionalWord, wide, optionalWide, string, bytes, link, any

    /// The number of bytes of an element, in whole words. Strings, bytes and any values are followed by the number of the
    /// transaction that stored them, in the last word. It determines the versions that contain them.
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

    /// Whether elements contain references that nodes own.
    var isReference: Bool { self == .string || self == .bytes || self == .any }

    /// A Boolean value that indicates whether elements are, or can be, links.
    public var isLinking: Bool { self == .link || self == .any }
}
