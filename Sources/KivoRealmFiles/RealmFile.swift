#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A `.realm` file, which is read without the engine that wrote it, and never changed.
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
/// Opening maps the file and reads its list of tables, in a time that does not depend on the file's size. Everything else is read
/// on access. The readable format versions are 10, 11 and 20 to 24: those since clusters of objects were introduced in 2020.
///
/// No part of the file is trusted: invalid parts throw a ``RealmFileError`` when they are read. Therefore each function that
/// reads can throw, even after others succeeded.
///
/// A file can be used from any thread. It must not be truncated while it is open. If the app that writes it may be running, open
/// a copy.
public final class RealmFile: Sendable {
    private let bytes: FileBytes
    let header: FileHeader
    let group: GroupTop

    /// Opens the file at a path.
    ///
    /// - Throws: ``RealmFileError`` if the file does not exist or cannot be read.
    public convenience init(path: String) throws(RealmFileError) {
        try self.init(FileBytes(path: path))
    }

    /// Opens the file at a URL.
    ///
    /// - Throws: ``RealmFileError`` if the file does not exist or cannot be read.
    public convenience init(url: URL) throws(RealmFileError) {
        guard url.isFileURL else { throw .notFound }
        try self.init(path: url.path)
    }

    /// Reads a file from memory. The bytes are copied.
    ///
    /// - Throws: ``RealmFileError`` if they are not the bytes of a readable file.
    public convenience init(bytes: [UInt8]) throws(RealmFileError) {
        try self.init(FileBytes(copying: bytes))
    }

    private init(_ bytes: FileBytes) throws(RealmFileError) {
        self.bytes = bytes
        header = try FileHeader(bytes.bytes)
        group = header.top == 0 ? GroupTop() : try GroupTop(bytes, header)
    }

    /// The number of bytes of the file.
    public var byteCount: Int { bytes.bytes.count }
    /// The format version; 0 if nothing was written to the file yet.
    public var formatVersion: Int { header.version }
    /// The current one of the header's two slots: 0 or 1.
    public var slot: Int { header.slot }
    /// A Boolean value that indicates whether the file was written front to back, like a copy, and not opened for writing since.
    public var isStreaming: Bool { header.isStreaming }
    /// The number of the transaction that wrote the current contents, or nil if the file does not contain it.
    public var transaction: UInt64? { group.transaction }
    /// A Boolean value that indicates whether the file is a copy of one on a server.
    public var isSynchronized: Bool { group.history == 3 || group.history == 4 }
    /// The names of all tables in the order of the file, including those of the engine.
    public var tableNames: [String] {
        group.names.indices.filter { group.tables[$0] != 0 }.map { group.names[$0] }
    }

    /// Returns the table with a stored name, for example `class_Dog`, or nil if there is none. Reads its columns.
    ///
    /// - Throws: ``RealmFileError`` if the file is damaged.
    public func table(named name: String) throws(RealmFileError) -> Table? {
        guard
            let index = group.names.indices.first(where: { group.tables[$0] != 0 && group.names[$0] == name })
        else { return nil }
        return try Table(self, index: index)
    }

    /// Returns the table of a class, or nil if there is none. Reads its columns.
    ///
    /// - Throws: ``RealmFileError`` if the file is damaged.
    public func table(forClass name: String) throws(RealmFileError) -> Table? {
        try table(named: "class_" + name)
    }

    /// Reads all tables with their columns.
    ///
    /// - Throws: ``RealmFileError`` if the file is damaged.
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

    /// Returns the version that the app gave its schema, or nil if it gave none.
    ///
    /// - Throws: ``RealmFileError`` if the file is damaged.
    public func schemaVersion() throws(RealmFileError) -> UInt64? {
        guard let table = try table(named: "metadata"), let property = table.property(named: "version"),
            property.type == .int, property.collection == nil, let object = try table.object(at: 0),
            case .int(let version) = try object.value(of: property), version != -1
        else { return nil }
        return UInt64(bitPattern: version)
    }

    /// A view of the file, which is valid only as long as the file; see ``reading(_:)``.
    var view: FileView { FileView(bytes, limit: group.logicalSize, version: header.version) }

    /// Calls `body` with a view of the file, and retains the file's memory until it returns.
    @inline(__always)
    package func reading<Result, Failure: Error>(_ body: (FileView) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try withExtendedLifetime(bytes) { () throws(Failure) in try body(view) }
    }
}

extension RealmFile {
    /// The tables of a file.
    public struct Schema: Sendable {
        /// The tables in the order of the file, including those of the engine.
        public let tables: [Table]
        private let indexes: [TableKey: Int]

        init(tables: [Table]) {
            self.tables = tables
            indexes = [TableKey: Int](
                tables.indices.map { (tables[$0].key, $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// The tables of the app's classes.
        public var classes: [Table] { tables.filter(\.isClass) }

        /// The table to which a link leads, or nil if there is none.
        public subscript(key: TableKey) -> Table? { indexes[key].map { tables[$0] } }

        /// The table of a class, or nil if there is none.
        ///
        /// - Complexity: O(tables).
        public subscript(className: String) -> Table? {
            tables.first { $0.isClass && $0.className == className }
        }
    }
}
