extension RealmFile {
    /// A table of a file, which contains the objects of a class or internal data of the engine.
    ///
    /// It retains the open file, and can be used from any thread.
    public final class Table: Sendable {
        /// The kind of a table's objects.
        public enum Kind: Int, Sendable {
            /// Independent objects.
            case normal
            /// Objects with one owner each.
            case embedded
            /// Objects that are only sent to a server.
            case asymmetric
        }

        /// The file of the table.
        public let file: RealmFile
        /// The name in the file: `class_` and the name of the class, or another name for a table of the engine.
        public let name: String
        /// The key by which links refer to the table.
        public let key: TableKey
        /// The kind of the objects.
        public let kind: Kind
        /// The properties in the order in which they were added.
        public let properties: [Property]
        /// The property that is the primary key, or nil if there is none.
        public let primaryKey: Property?
        /// The number of objects.
        public let count: Int
        package let root: Int64
        package let inverseColumns: [InverseColumn]

        private static let prefix = "class_"

        init(_ file: RealmFile, index: Int) throws(RealmFileError) {
            let top = try TableTop(file, index: index)
            self.file = file
            name = file.group.names[index]
            key = top.key
            kind = top.kind
            root = top.root
            count = try ClusterCursor.count(root: top.root, file.view)
            let columns = try top.columns(file)
            (properties, inverseColumns) = columns
            if let key = top.primaryKey {
                primaryKey = columns.0.first { $0.columnIndex == key.leafIndex }
                if primaryKey == nil { throw top.node.damaged("the primary key is not a property") }
            } else {
                primaryKey = nil
            }
        }

        /// The name of the class; for a table of the engine, the whole name.
        public var className: String { Table.className(name) }

        /// A Boolean value that indicates whether the table contains the objects of one of the app's classes.
        public var isClass: Bool { name.hasPrefix(Table.prefix) }

        /// Returns the property with a stored name, or nil if there is none.
        ///
        /// - Complexity: O(properties).
        public func property(named name: String) -> Property? { properties.first { $0.name == name } }

        static func className(_ name: String) -> String {
            name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        }
    }

    /// A column in which the file stores, for each object, the objects that link to it.
    package struct InverseColumn {
        package let leafIndex: Int
        package let origin: TableKey
        /// The leaf index of the column with the links.
        package let originIndex: Int
        /// The type code of the column with the links.
        package let originType: Int
    }
}

extension RealmFile.Table: CustomStringConvertible {
    /// The name, the number of objects and the number of properties.
    public var description: String { "\(name): \(count) objects, \(properties.count) properties" }
}
