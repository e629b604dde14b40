extension RealmFile {
    /// A property of a class, with its stored name.
    ///
    /// If a class renames a property in its source, the file contains only the stored name.
    public struct Property: Sendable {
        /// The stored name.
        public let name: String
        /// The type of the value, or of the elements of the collection.
        public let type: PropertyType
        /// A Boolean value that indicates whether the value, or an element of the collection, can be null.
        public let isNullable: Bool
        /// The kind of collection, or nil if the property holds one value.
        public let collection: CollectionKind?
        /// The type of a dictionary's keys, or nil for any other property. It is ``PropertyType/string`` or, in files that no SDK
        /// creates, ``PropertyType/int``.
        public let keyType: PropertyType?
        /// The key of the table to which links lead, or nil if the type is not ``PropertyType/link``.
        public let targetTable: TableKey?
        /// The class to which links lead, or nil if the type is not ``PropertyType/link``.
        public let targetClassName: String?
        /// A Boolean value that indicates whether there is an index for comparisons. A primary key has one from format 22 on.
        public let isIndexed: Bool
        /// A Boolean value that indicates whether there is a full-text index.
        public let isFullTextIndexed: Bool
        /// A Boolean value that indicates whether the file stores equal strings of this column once.
        public let isEnumerated: Bool
        /// The key that identifies the column in the file.
        public let columnKey: Int64
        package let layout: ColumnLayout

        /// The index of the column's values in each part of the table. It is unrelated to the order of the properties.
        public var columnIndex: Int { layout.leafIndex }
    }

    /// The key of a table in a file, which links contain.
    public struct TableKey: Hashable, Sendable, CustomStringConvertible {
        /// The number in the file.
        public let rawValue: UInt32

        /// Creates a key from the number in the file.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The index in the list of tables.
        package var index: Int { Int(rawValue & 0xFFFF) }

        /// The number as text.
        public var description: String { String(rawValue) }
    }
}

extension RealmFile {
    /// The type of a property's value, or of the elements of its collection.
    public enum PropertyType: String, Hashable, Sendable, CaseIterable {
        /// A signed integer of 64 bits.
        case int
        /// True or false.
        case bool
        /// A text.
        case string
        /// Bytes.
        case data
        /// A value of any type.
        case mixed
        /// A point in time.
        case date
        /// A floating-point number of 32 bits.
        case float
        /// A floating-point number of 64 bits.
        case double
        /// A decimal number of 34 digits.
        case decimal128
        /// An object of one class.
        case link
        /// An object id of 12 bytes.
        case objectID = "objectId"
        /// An object of any class. No SDK makes such properties; objects in values of any type are ``link``.
        case typedLink
        /// An id of 16 bytes.
        case uuid

        init?(columnType: Int) {
            switch columnType {
            case 0: self = .int
            case 1: self = .bool
            case 2: self = .string
            case 4: self = .data
            case 6: self = .mixed
            case 8: self = .date
            case 9: self = .float
            case 10: self = .double
            case 11: self = .decimal128
            // In files before format 24, type 13 is a list of links.
            case 12, 13: self = .link
            case 15: self = .objectID
            case 16: self = .typedLink
            case 17: self = .uuid
            default: return nil
            }
        }
    }

    /// The kind of a property that holds more than one value.
    public enum CollectionKind: String, Hashable, Sendable {
        /// Ordered elements, which can occur more than once.
        case list
        /// Unique elements, in the order of the file.
        case set
        /// Values with one key each.
        case dictionary
    }
}
