extension RealmFile {
    /// An object of a file. It is a reference, and its values are read on access.
    ///
    /// It retains the open file.
    public struct Object: Sendable {
        /// The table of the object.
        public let table: Table
        /// The object's key in its table.
        public let key: Int64
        private let cluster: Int
        private let index: Int

        init(_ table: Table, _ cluster: Cluster, _ index: Int) throws(RealmFileError) {
            guard let key = cluster.key(at: index) else {
                throw .damaged(offset: cluster.ref, reason: "a key of an object is not possible")
            }
            self.table = table
            self.key = key
            self.cluster = cluster.ref
            self.index = index
        }

        /// Returns the value of a property of the object's table.
        ///
        /// - Parameter property: One of ``RealmFile/Table/properties`` of ``table``. A property of another table causes a wrong
        ///   value or an error.
        /// - Throws: ``RealmFileError`` if the file is damaged.
        public func value(of property: Property) throws(RealmFileError) -> Value {
            try table.file.reading { view throws(RealmFileError) in
                let node = try view.node(at: Int64(cluster))
                let leaf = try Cluster(node, offset: 0, view).leaf(property.layout, view)
                guard index < leaf.count else { throw node.damaged("a value is missing") }
                return try Value(leaf.value(at: index, view), property.layout, level: 0, table.file, view)
            }
        }

        /// Returns the value of the property with a stored name, or nil if there is no such property.
        ///
        /// - Throws: ``RealmFileError`` if the file is damaged.
        public func value(named name: String) throws(RealmFileError) -> Value? {
            guard let property = table.property(named: name) else { return nil }
            return try value(of: property)
        }

        /// Calls `body` with each link to the object: its table, the key of the object there, and the column. An object with
        /// several links to this one is passed once for each link.
        ///
        /// - Throws: Errors of `body`, and ``RealmFileError`` if the file is damaged.
        public func forEachInverseLink(_ body: (_ origin: Link, _ columnIndex: Int) throws -> Void) throws {
            try table.file.reading { view in
                let node = try view.node(at: Int64(cluster))
                let cluster = try Cluster(node, offset: 0, view)
                for column in table.inverseColumns {
                    let links = try cluster.inverseLinks(column.leafIndex, view)
                    guard index < links.count else { throw node.damaged("inverse links are missing") }
                    var keys = try InverseLinkCursor(links.slot(index), view)
                    while let some = try keys.next() {
                        for index in 0..<some.count {
                            try body(Link(table: column.origin, key: some[index]), column.originIndex)
                        }
                    }
                }
            }
        }
    }
}

extension RealmFile.Table {
    /// Calls `body` with each object in the order of the keys.
    ///
    /// - Throws: Errors of `body`, and ``RealmFileError`` if the file is damaged.
    public func forEachObject(_ body: (RealmFile.Object) throws -> Void) throws {
        try file.reading { view in
            var clusters = try ClusterCursor(root: root, view)
            var last: Int64 = -1
            while let cluster = try clusters.next() {
                for index in 0..<cluster.count {
                    let object = try RealmFile.Object(self, cluster, index)
                    guard object.key > last else {
                        throw RealmFileError.damaged(
                            offset: cluster.ref, reason: "objects are not in the order of their keys")
                    }
                    last = object.key
                    try body(object)
                }
            }
        }
    }

    /// Returns the object at a position in the order of the keys, or nil beyond the end. The time does not depend on the
    /// position.
    ///
    /// - Throws: ``RealmFileError`` if the file is damaged.
    public func object(at position: Int) throws(RealmFileError) -> RealmFile.Object? {
        guard position >= 0 else { return nil }
        return try file.reading { view throws(RealmFileError) in
            guard let (cluster, index) = try ClusterCursor.find(position: position, root: root, view) else {
                return nil
            }
            return try RealmFile.Object(self, cluster, index)
        }
    }

    /// Returns the object with a key, or nil if there is none. The time does not depend on the key.
    ///
    /// - Throws: ``RealmFileError`` if the file is damaged.
    public func object(withKey key: Int64) throws(RealmFileError) -> RealmFile.Object? {
        guard key >= 0 else { return nil }
        return try file.reading { view throws(RealmFileError) in
            guard let (cluster, index) = try ClusterCursor.find(key: key, root: root, view) else {
                return nil
            }
            return try RealmFile.Object(self, cluster, index)
        }
    }
}
