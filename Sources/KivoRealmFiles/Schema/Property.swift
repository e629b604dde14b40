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
