/// What the elements of a sequence are.
public enum ElementKind: UInt8, Sendable {
    case word, optionalWord, wide, optionalWide, string, bytes, link

    /// What an element takes. Strings and bytes have the number of the transaction that stored them behind them, which
    /// says which versions see them.
    var stride: Int {
        switch self {
        case .word, .link: 8
        case .optionalWord, .wide, .bytes: 16
        case .optionalWide, .string: 24
        }
    }

    /// Whether elements hold references that nodes own.
    var isReference: Bool { self == .string || self == .bytes }
}
