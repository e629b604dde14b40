extension RealmFile {
    /// A value of a property or an element of a collection.
    ///
    /// Collections read their elements on access; every other value is a copy.
    public enum Value: Sendable {
        /// No value, or a link to a missing object.
        case null
        /// A signed integer of 64 bits.
        case int(Int64)
        /// True or false.
        case bool(Bool)
        /// A floating-point number of 32 bits. A NaN keeps the bits of the file.
        case float(Float)
        /// A floating-point number of 64 bits. A NaN keeps the bits of the file.
        case double(Double)
        /// A text.
        case string(String)
        /// A text whose bytes are not valid UTF-8.
        case malformedString([UInt8])
        /// Bytes.
        case data([UInt8])
        /// A point in time.
        case date(Timestamp)
        /// A decimal number.
        case decimal128(Decimal128)
        /// An object id.
        case objectID(ObjectID)
        /// An id of 16 bytes.
        case uuid(UniqueID)
        /// An object of this file.
        case link(Link)
        /// A list or a set.
        case list(List)
        /// A dictionary.
        case dictionary(Dictionary)
    }

    /// A reference to an object of a file.
    public struct Link: Hashable, Sendable {
        /// The table of the object.
        public let table: TableKey
        /// The object's key in its table.
        public let key: Int64

        /// Creates a link to an object.
        public init(table: TableKey, key: Int64) {
            self.table = table
            self.key = key
        }
    }
}

extension RealmFile.Value {
    /// Copies a value from the file.
    ///
    /// - Parameter level: The number of nested collections around the value, in values of any type.
    init(
        _ raw: RawValue, _ column: ColumnLayout, level: Int, _ file: RealmFile, _ view: FileView
    ) throws(RealmFileError) {
        switch raw {
        case .null, .unresolved: self = .null
        case .int(let value): self = .int(value)
        case .bool(let value): self = .bool(value)
        case .float(let bits): self = .float(Float(bitPattern: bits))
        case .double(let bits): self = .double(Double(bitPattern: bits))
        case .string(let raw):
            if let text = String(validating: raw.whole, as: UTF8.self), raw.pieces == 0 {
                self = .string(text)
            } else {
                let bytes = try raw.array(view)
                self = String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .malformedString(bytes)
            }
        case .data(let raw): self = .data(try raw.array(view))
        case .date(let value): self = .date(value)
        case .decimal128(let value): self = .decimal128(value)
        case .objectID(let start): self = .objectID(RealmFile.ObjectID(start))
        case .uuid(let start): self = .uuid(RealmFile.UniqueID(start))
        case .link(let key):
            guard let target = column.target else {
                throw .damaged(
                    offset: 0, reason: "a link in a value of any type does not say to which table it leads")
            }
            self = .link(RealmFile.Link(table: RealmFile.TableKey(rawValue: target), key: key))
        case .typedLink(let table, let key):
            self = .link(RealmFile.Link(table: RealmFile.TableKey(rawValue: table), key: key))
        case .list(let root):
            // In a column, the column describes the collection. In a value of any type, it is a list of values of any type.
            let column = level == 0 && column.collection != nil ? column : ColumnLayout.mixed
            self = .list(try RealmFile.List(file: file, root: root, column: column, level: level + 1))
        case .dictionary(let root):
            let column = level == 0 && column.collection != nil ? column : ColumnLayout.mixed
            self = .dictionary(
                try RealmFile.Dictionary(file: file, root: root, column: column, level: level + 1))
        }
    }
}
