/// The type of a value in an any column. The raw values are stored in files.
///
/// A word contains the same bits as in a column of that type: an integer, or the bits of a double for floating-point types and
/// dates.
@usableFromInline package enum AnyTag: UInt8, Sendable {
    case null = 0
    case bool, int, float, double, decimal128, string, bytes, date, objectId, uuid, link

    /// The rank of the type in the order of any values. All numbers have the same rank.
    var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal128: 2
        case .string: 3
        case .bytes: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .link: 8
        }
    }

    /// Returns whether the bits of a double are a number of single precision, or NaN.
    @usableFromInline package static func isSingle(_ word: UInt64) -> Bool {
        let value = Double(bitPattern: word)
        return value.isNaN || Double(Float(value)) == value
    }

    /// A Boolean value that indicates whether values are numbers, which are compared by value.
    @usableFromInline package var isNumber: Bool { rank == 2 }
}

/// The tables of the lists and dictionaries that are values of any columns. Each row belongs to one such value and is deleted
/// with it.
@usableFromInline package enum AnyContainer: String, CaseIterable, Sendable {
    /// One column: the elements.
    case list = "_AnyList"
    /// Two columns: the keys, and the values in the order of the keys.
    case dictionary = "_AnyDictionary"

    /// The column of the elements, or of the keys.
    @usableFromInline package var members: Int { 0 }
    /// The column of the elements, or of the values.
    @usableFromInline package var values: Int { self == .list ? 0 : 1 }
}
