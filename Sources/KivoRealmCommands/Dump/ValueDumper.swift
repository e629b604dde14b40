import KivoRealmFiles

/// A writer of a file's values as JSON.
struct ValueDumper {
    var writer: JSONWriter
    var limit: WorkLimit
    /// The name of each class with its quotes, by the key of its table.
    var classNames: [UInt32: [UInt8]] = [:]
    /// The columns in which the current object has links to missing objects.
    var unresolved: [Int] = []
    let view: FileView

    init(_ view: FileView, _ writer: JSONWriter) {
        self.view = view
        self.writer = writer
        limit = WorkLimit(view)
    }

    /// Writes the value of a column.
    mutating func dump(_ value: RawValue, _ column: ColumnLayout, _ index: Int) throws {
        switch value {
        case .int(let value) where column.element.type == .int: try writer.write(number: value)
        case .list(let root) where column.collection != nil:
            if try dumpElements(root, column, level: 1) { unresolved.append(index) }
        case .dictionary(let root) where column.collection != nil: try dumpPairs(root, column, level: 1)
        case .unresolved where column.element.type == .link:
            unresolved.append(index)
            try writer.write("null")
        default: try dumpElement(value, column, level: 0)
        }
    }

    /// Writes a value that has the column's type or contains its own type.
    ///
    /// - Parameter level: The number of collections around the value.
    mutating func dumpElement(_ value: RawValue, _ column: ColumnLayout, level: Int) throws {
        switch column.element.type {
        case .mixed: try dumpMixed(value, level: level)
        case .typedLink: try dumpLinkWithClass(value)
        default:
            guard column.element.distinct != 0, case .string(let bytes) = value else {
                return try dumpScalar(value)
            }
            // The string is in the file once, but may be written any number of times.
            try limit.spend(bytes.count / 256, at: Int(truncatingIfNeeded: column.element.distinct))
            try dumpString(bytes)
        }
    }

    /// Writes a value together with its type.
    private mutating func dumpMixed(_ value: RawValue, level: Int) throws {
        switch value {
        case .null, .unresolved: return try writer.write("null")
        case .list(let root):
            try writer.write("{\"type\":\"list\",\"value\":")
            _ = try dumpElements(root, .mixed, level: level + 1)
        case .dictionary(let root):
            try writer.write("{\"type\":\"dictionary\",\"value\":")
            try dumpPairs(root, .mixed, level: level + 1)
        case .typedLink, .link:
            try writer.write("{\"type\":\"link\",\"value\":")
            try dumpLinkWithClass(value)
        default:
            guard let type = value.type else { return try writer.write("null") }
            try writer.write("{\"type\":")
            try writer.write(text: type.rawValue)
            try writer.write(",\"value\":")
            try dumpScalar(value)
        }
        try writer.write("}")
    }

    private mutating func dumpLinkWithClass(_ value: RawValue) throws {
        switch value {
        case .null, .unresolved: try writer.write("null")
        case .typedLink(let table, let key):
            guard let name = classNames[table] else {
                throw RealmFileError.damaged(
                    offset: 0, reason: "a link leads to table \(table), which is not there")
            }
            try writer.write("{\"class\":")
            try writer.write(name)
            try writer.write(",\"key\":")
            try writer.write(number: key)
            try writer.write("}")
        default:
            throw RealmFileError.damaged(offset: 0, reason: "a link does not say to which table it leads")
        }
    }

    /// Writes a value that is not a collection.
    private mutating func dumpScalar(_ value: RawValue) throws {
        switch value {
        case .null, .unresolved: try writer.write("null")
        case .int(let value): try writer.write(number: value)
        case .bool(let value): try writer.write(value ? "true" : "false")
        case .float(let bits): try dumpFloat(bits)
        case .double(let bits): try dumpDouble(bits)
        case .string(let bytes):
            if bytes.count > 64 { try spend(bytes) }
            try dumpString(bytes)
        case .data(let bytes): try dumpData(bytes)
        case .date(let date):
            try writer.write("{\"seconds\":")
            try writer.write(number: date.seconds)
            try writer.write(",\"nanoseconds\":")
            try writer.write(digits: Int64(date.nanoseconds))
            try writer.write("}")
        case .decimal128(let decimal): try dumpDecimal(decimal)
        case .objectID(let start):
            try writer.write("\"")
            try writer.write(hexadecimal: UnsafeRawBufferPointer(start: start, count: 12))
            try writer.write("\"")
        case .uuid(let start):
            try writer.write("\"")
            var position = 0
            for length in [4, 2, 2, 2, 6] {
                if position > 0 { try writer.write("-") }
                try writer.write(hexadecimal: UnsafeRawBufferPointer(start: start + position, count: length))
                position += length
            }
            try writer.write("\"")
        case .link(let key), .typedLink(_, let key):
            try writer.write("{\"key\":")
            try writer.write(number: key)
            try writer.write("}")
        case .list, .dictionary:
            throw RealmFileError.damaged(offset: 0, reason: "there is a collection where a value should be")
        }
    }
}
