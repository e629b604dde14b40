extension RealmFile {
    /// An object of a file: its place, at which values are read when they are asked for.
    ///
    /// It keeps the file open.
    public struct Object: Sendable {
        /// The table which the object is in.
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

        /// The value of a property of the object's table.
        ///
        /// - Parameter property: One of ``RealmFile/Table/properties`` of ``table``. That of another table gives another value or an
        ///   error.
        public func value(of property: Property) throws(RealmFileError) -> Value {
            try table.file.reading { view throws(RealmFileError) in
                let node = try view.node(at: Int64(cluster))
                let leaf = try Cluster(node, offset: 0, view).leaf(property.layout, view)
                guard index < leaf.count else { throw node.damaged("a value is missing") }
                return try Value(leaf.value(at: index, view), property.layout, level: 0, table.file, view)
            }
        }

        /// The value of the property with a stored name, nil if there is no such property.
        public func value(named name: String) throws(RealmFileError) -> Value? {
            guard let property = table.property(named: name) else { return nil }
            return try value(of: property)
        }

        /// Calls a function with each link which leads to the object: the table and the column it comes from, and the key of the
        /// object there. An object with several links to this one comes once for each.
        ///
        /// - Throws: What the function throws, and ``RealmFileError`` where the file is damaged.
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
    /// Calls a function with each object in the order of the keys.
    ///
    /// - Throws: What the function throws, and ``RealmFileError`` where the file is damaged.
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

    /// The object at a place in the order of the keys, nil if there are not as many. Takes a few steps, whatever the place.
    public func object(at place: Int) throws(RealmFileError) -> RealmFile.Object? {
        guard place >= 0 else { return nil }
        return try file.reading { view throws(RealmFileError) in
            guard let (cluster, index) = try ClusterCursor.find(position: place, root: root, view) else {
                return nil
            }
            return try RealmFile.Object(self, cluster, index)
        }
    }

    /// The object with a key, nil if there is none. Takes a few steps, whatever the key.
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
