/// A value in place in the file. It owns no memory, and is valid as long as the file.
package enum RawValue {
    case null
    case int(Int64)
    case bool(Bool)
    case float(UInt32)
    case double(UInt64)
    case string(RawBytes)
    case data(RawBytes)
    case date(RealmFile.Timestamp)
    case decimal128(RealmFile.Decimal128)
    /// The 12 bytes of an object id.
    case objectID(UnsafeRawPointer)
    /// The 16 bytes of a UUID.
    case uuid(UnsafeRawPointer)
    /// The key of an object in the column's target table.
    case link(Int64)
    case typedLink(table: UInt32, key: Int64)
    /// A link to a missing object, with the key that represents it.
    case unresolved(Int64)
    /// The root of a list or a set, 0 if it is empty.
    case list(Int64)
    /// The root of a dictionary, 0 if it is empty.
    case dictionary(Int64)

    /// The type of the value in a column's terms, or nil for null.
    package var type: RealmFile.PropertyType? {
        switch self {
        case .null, .unresolved, .list, .dictionary: nil
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .decimal128: .decimal128
        case .objectID: .objectID
        case .uuid: .uuid
        case .link, .typedLink: .link
        }
    }
}
