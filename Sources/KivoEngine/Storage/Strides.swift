extension ColumnKind {
    /// The number of bytes from one value to the next.
    var stride: Int {
        switch self {
        case .word, .link, .sequence, .keySet: 8
        case .wide: 16
        case .string: MemoryLayout<String?>.stride
        case .bytes: MemoryLayout<[UInt8]?>.stride
        case .any: AnySlot.stride
        }
    }
}

extension ElementKind {
    /// The number of bytes of an element, in whole words. Strings, bytes and any values are followed by the number of the
    /// transaction that stored them, in the last word. It determines the versions that contain them.
    package var stride: Int {
        switch self {
        case .word, .link: 8
        case .optionalWord, .wide: 16
        case .optionalWide: 24
        case .string: (MemoryLayout<String?>.size + 7) & ~7 + 8
        case .bytes: (MemoryLayout<[UInt8]?>.size + 7) & ~7 + 8
        case .any: AnySlot.stride + 8
        }
    }
}
