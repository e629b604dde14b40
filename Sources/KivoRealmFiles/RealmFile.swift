/// A `.realm` file, read without the engine that wrote it and without changing it.
///
///     let file = try RealmFile(path: "default.realm")
///     for table in try file.schema().tables {
///         print(table.className, table.count)
///         try table.forEachObject { object in
///             for property in table.properties {
///                 print(property.name, try object.value(of: property))
///             }
///         }
///     }
///
/// Opening maps the file and reads its list of tables, whatever its size; everything else is read when it is asked for. Format
/// versions 10, 11 and 20 to 24 are read, which are those since clusters of objects were introduced in 2020.
///
/// Nothing in the file is trusted: what does not make sense is thrown as a ``RealmFileError`` where it is met. So each function
/// that reads can throw, also after others did not.
///
/// A file can be used from any thread. It must not be made shorter while it is open; if the application that writes it may be
/// running, open a copy.
public final class RealmFile: Sendable {
    private let bytes: FileBytes
    let header: FileHeader
    let group: GroupTop

    /// Opens the file at a path.
    ///
    /// - Throws: ``RealmFileError`` if there is no such file, or it is not one that can be read.
    public convenience init(path: String) throws(RealmFileError) {
        try self.init(FileBytes(path: path))
    }

    /// Reads a file from memory. The bytes are copied.
    ///
    /// - Throws: ``RealmFileError`` if they are not those of a file that can be read.
    public convenience init(bytes: [UInt8]) throws(RealmFileError) {
        try self.init(FileBytes(copying: bytes))
    }

    private init(_ bytes: FileBytes) throws(RealmFileError) {
        self.bytes = bytes
        header = try FileHeader(bytes.bytes)
        group = header.top == 0 ? GroupTop() : try GroupTop(bytes, header)
    }

    /// The bytes of the file.
    public var byteCount: Int { bytes.bytes.count }
    /// The format version; 0 if nothing was written to the file yet.
    public var formatVersion: Int { header.version }
    /// Which of the two places in the header is current, 0 or 1.
    public var slot: Int { header.slot }
    /// Whether the file was written front to back, as copies are, and not opened for writing since.
    public var isStreaming: Bool { header.isStreaming }
    /// The number of the transaction which wrote what is in the file; nil if the file does not say.
    public var transaction: UInt64? { group.transaction }
    /// Whether the file is a copy of one on a server.
    public var isSynchronized: Bool { group.history == 3 || group.history == 4 }
    /// The names of all tables in the order of the file, those of the engine as well.
    public var tableNames: [String] {
        group.names.indices.filter { group.tables[$0] != 0 }.map { group.names[$0] }
    }

    /// The table with a stored name, such as `class_Dog`; nil if there is none. Reads its columns.
    public func table(named name: String) throws(RealmFileError) -> Table? {
        guard
            let index = group.names.indices.first(where: { group.tables[$0] != 0 && group.names[$0] == name })
        else { return nil }
        return try Table(self, index: index)
    }

    /// The table of a class, nil if there is none. Reads its columns.
    public func table(forClass name: String) throws(RealmFileError) -> Table? {
        try table(named: "class_" + name)
    }

    /// All tables with their columns, which are read now.
    public func schema() throws(RealmFileError) -> Schema {
        var tables: [Table] = []
        var columns = 0
        for index in group.names.indices where group.tables[index] != 0 {
            let table = try Table(self, index: index)
            columns += table.properties.count + table.inverseColumns.count
            guard columns <= view.columnLimit else {
                throw .damaged(
                    offset: header.topOffset, reason: "there are more columns than fit into the file")
            }
            tables.append(table)
        }
        return Schema(tables: tables)
    }

    /// The version which the application gave its schema, nil if it never did.
    public func schemaVersion() throws(RealmFileError) -> UInt64? {
        guard let table = try table(named: "metadata"), let property = table.property(named: "version"),
            property.type == .int, property.collection == nil, let object = try table.object(at: 0),
            case .int(let version) = try object.value(of: property), version != -1
        else { return nil }
        return UInt64(bitPattern: version)
    }

    /// Valid only as long as the file; see ``reading(_:)``.
    var view: FileView { FileView(bytes, limit: group.logicalSize, version: header.version) }

    /// Calls a function with a view of the file, and keeps the file's memory until it returns.
    @inline(__always)
    func reading<Result, Failure: Error>(_ body: (FileView) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try withExtendedLifetime(bytes) { () throws(Failure) in try body(view) }
    }
}

extension RealmFile {
    /// The tables of a file.
    public struct Schema: Sendable {
        /// In the order of the file, with those which the engine keeps for itself.
        public let tables: [Table]
        private let places: [TableKey: Int]

        init(tables: [Table]) {
            self.tables = tables
            places = [TableKey: Int](
                tables.indices.map { (tables[$0].key, $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// The tables of the application's classes.
        public var classes: [Table] { tables.filter(\.isClass) }

        /// The table which a link leads to, nil if there is none.
        public subscript(key: TableKey) -> Table? { places[key].map { tables[$0] } }

        /// The table of a class, nil if there is none. Takes longer the more there are.
        public subscript(className: String) -> Table? {
            tables.first { $0.isClass && $0.className == className }
        }
    }
}
