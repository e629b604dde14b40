/// What a value of an any column is. The numbers are in files.
///
/// Words hold what the columns of single types hold: integers, and of the floating point types and dates the bits of a double.
public enum AnyTag: UInt8, Sendable {
    case null = 0
    case bool, int, float, double, decimal128, string, bytes, date, objectId, uuid, link

    /// Where values of the type come among those of others. Numbers are ordered among each other.
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

    /// Whether the bits of a double are those of a number of single precision, or of none at all.
    public static func isSingle(_ word: UInt64) -> Bool {
        let value = Double(bitPattern: word)
        return value.isNaN || Double(Float(value)) == value
    }

    /// Whether values are numbers, which are compared by what they amount to.
    public var isNumber: Bool { rank == 2 }
}

/// The tables in which the lists and dictionaries are that values of any columns are. A row belongs to the value that it is, and
/// goes with it.
public enum AnyContainer: String, CaseIterable, Sendable {
    /// One column: the elements.
    case list = "_AnyList"
    /// Two columns: the keys, and the values beside them.
    case dictionary = "_AnyDictionary"

    /// The column of the elements, or of the keys.
    public var members: Int { 0 }
    /// The column of the elements, or of the values.
    public var values: Int { self == .list ? 0 : 1 }
}

extension Cell {
    /// What the cell of an any column is. Traps on cells of other columns.
    public var anyTag: AnyTag {
        switch self {
        case .null: .null
        case .string: .string
        case .bytes: .bytes
        case .typedWord(_, let tag), .typedWide(_, _, let tag): tag
        case .typedLink: .link
        case .word, .wide, .link: fatalError("a \(self) is in no any column")
        }
    }

    /// The row that the cell of an any column leads to, or nil.
    public var target: RowID? { if case .typedLink(let row) = self { row } else { nil } }
}
