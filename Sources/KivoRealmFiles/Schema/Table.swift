extension RealmFile {
    /// A table of a file: a class, or something that the engine keeps for itself.
    ///
    /// It keeps the file open, and can be used from any thread.
    public final class Table: Sendable {
        /// What the objects of a table are for.
        public enum Kind: Int, Sendable {
            /// Objects on their own.
            case normal
            /// Objects that belong to one other object each.
            case embedded
            /// Objects which are only sent to a server.
            case asymmetric
        }

        /// The file which the table is in.
        public let file: RealmFile
        /// The name in the file: `class_` and the name of the class, or another name for a table of the engine.
        public let name: String
        /// Names the table in links.
        public let key: TableKey
        /// What the objects are for.
        public let kind: Kind
        /// The properties in the order in which they were added.
        public let properties: [Property]
        /// The property which is the primary key, nil if there is none.
        public let primaryKey: Property?
        /// The number of objects.
        public let count: Int
        let root: Int64
        let inverseColumns: [InverseColumn]

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

        /// The name of the class, which is the whole name for a table of the engine.
        public var className: String { Table.className(name) }

        /// Whether the table holds the objects of a class of the application.
        public var isClass: Bool { name.hasPrefix(Table.prefix) }

        /// The property with a stored name, nil if there is none. Takes longer the more there are.
        public func property(named name: String) -> Property? { properties.first { $0.name == name } }

        static func className(_ name: String) -> String {
            name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        }
    }

    /// A column in which the file keeps, for each object, the objects with a link to it.
    struct InverseColumn {
        let leafIndex: Int
        let origin: TableKey
        /// The leaf index of the column with the links.
        let originIndex: Int
        /// The type of the column with the links, as the file has it.
        let originType: Int
    }
}

extension RealmFile.Table: CustomStringConvertible {
    /// The name, the number of objects and that of properties.
    public var description: String { "\(name): \(count) objects, \(properties.count) properties" }
}
