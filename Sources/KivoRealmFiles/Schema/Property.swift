extension RealmFile {
    /// A property of a class, with its name as it is in the file.
    ///
    /// A class that gives a property another name in its source keeps only the stored name in the file.
    public struct Property: Sendable {
        /// The stored name.
        public let name: String
        /// The type of the value, or of the elements of the collection.
        public let type: PropertyType
        /// Whether the value, or an element of the collection, can be null.
        public let isNullable: Bool
        /// nil if the property holds one value.
        public let collection: CollectionKind?
        /// The type of a dictionary's keys: ``PropertyType/string`` or, in files which no SDK makes,
        /// ``PropertyType/int``. nil for anything but a dictionary.
        public let keyType: PropertyType?
        /// The key of the table which links lead to; nil if the type is not ``PropertyType/link``.
        public let targetTable: TableKey?
        /// The class which links lead to; nil if the type is not ``PropertyType/link``.
        public let targetClassName: String?
        /// Whether there is an index for comparing; a primary key has one from format 22 on.
        public let isIndexed: Bool
        /// Whether there is an index for searching texts.
        public let isFullTextIndexed: Bool
        /// Whether the file keeps equal strings of this column once.
        public let isEnumerated: Bool
        /// The key which names the column in the file.
        public let columnKey: Int64
        let layout: ColumnLayout

        /// Where the column's values are in each part of the table. This says nothing about the order of the properties.
        public var columnIndex: Int { layout.leafIndex }
    }

    /// Names a table in a file. Links hold it.
    public struct TableKey: Hashable, Sendable, CustomStringConvertible {
        /// The number in the file.
        public let rawValue: UInt32

        /// Makes a key from the number in the file.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Its place in the list of tables.
        var index: Int { Int(rawValue & 0xFFFF) }

        /// The number in words.
        public var description: String { String(rawValue) }
    }
}
