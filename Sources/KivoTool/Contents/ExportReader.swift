import Foundation
import Kivo
import KivoEngine

/// A reader that creates the objects which the lines of an export describe.
///
/// It reads the lines up to three times: for the objects and their values, for links to objects of later lines, and for checks
/// that require all objects. See ``ImportedObjects``.
struct ExportReader {
    private let path: String
    private let header: Header
    /// The number of objects.
    let objectCount: Int
    /// The maximum numbers of lines and of their bytes in one transaction.
    var (batchLines, batchBytes) = (1 << 16, 1 << 23)

    private struct Header: Decodable {
        var kivo: String
        var version: Int
        var schemaVersion: String
        var classes: [Class]
    }

    private struct Class: Decodable {
        var name: String
        var typeName: String?
        var isEmbedded: Bool
        var nextKey: Int64?
        var properties: [Property]
    }

    private struct Property: Decodable {
        var name: String
        var type: String
        var nullable: Bool
        var collection: String?
        var target: String?
        var indexed: Bool
        var primaryKey: Bool

        /// The type of the values or elements; nil for links and for unknown types.
        var scalar: ScalarType? { ScalarType(name: type) }
    }

    /// Opens an export. It decodes the first line at once and counts the others.
    init(_ path: String) throws {
        self.path = path
        var lines = try LineReader(path)
        guard let first = try lines.next({ Data($0) }),
            let header = try? JSONDecoder().decode(Header.self, from: first),
            header.kivo == "export"
        else { throw Problem("line 1: this is no export of 'kivo export'") }
        guard header.version == ExportHeader.version else {
            throw Problem("line 1: the export is of version \(header.version), which this tool does not know")
        }
        self.header = header
        while try lines.next({ _ in }) != nil {}
        objectCount = lines.number - 1
    }

    var schemaVersion: UInt64 { UInt64(header.schemaVersion) ?? 0 }

    // MARK: Classes

    /// Defines the tables.
    func define(_ catalog: inout Catalog) throws {
        for some in header.classes {
            guard catalog.table(named: some.name) == nil, AnyContainer(rawValue: some.name) == nil,
                !some.name.isEmpty
            else { throw Problem("line 1: there can be no class '\(some.name)', or not twice") }
            _ = catalog.declare(some.name, isEmbedded: some.isEmbedded)
        }
        if header.classes.contains(where: { $0.properties.contains { $0.scalar == .any } }) {
            ExportReader.defineContainers(&catalog)
        }
        for some in header.classes {
            var columns: [ColumnSpec] = []
            for property in some.properties { columns += try self.columns(property, some.name, catalog) }
            let isAmbiguous = Set(columns.map(\.name)).count < columns.count
            let keys = columns.count(where: \.isPrimaryKey)
            if isAmbiguous || keys > 1 || some.isEmbedded && keys > 0 {
                throw Problem(
                    "line 1: class '\(some.name)' has two properties of one name, or a key too many")
            }
            catalog.define(
                catalog.table(named: some.name)!, columns: columns.sorted(by: ColumnSpec.isOrderedBefore),
                typeName: some.typeName ?? "")
        }
    }

    /// Defines the tables that hold lists and dictionaries as values of type any, as Kivo declares them.
    private static func defineContainers(_ catalog: inout Catalog) {
        let any = ScalarType.any.rawValue
        let list = catalog.declare(AnyContainer.list.rawValue, isEmbedded: true)
        let dictionary = catalog.declare(AnyContainer.dictionary.rawValue, isEmbedded: true)
        catalog.define(
            list,
            columns: [
                ColumnSpec(name: "elements", kind: .sequence, isOptional: true, element: .any, typeCode: any)
            ], typeName: "Kivo._AnyList")
        catalog.define(
            dictionary,
            columns: [
                ColumnSpec(name: "entries", kind: .sequence, element: .string, order: .sorted, typeCode: any),
                ColumnSpec(
                    name: ColumnSpec.valuesName(of: "entries"), kind: .sequence, element: .any,
                    order: .values, typeCode: any),
            ], typeName: "Kivo._AnyDictionary")
    }

    private func columns(
        _ property: Property, _ name: String, _ catalog: Catalog
    ) throws(Problem) -> [ColumnSpec] {
        let subject = "line 1: property '\(name).\(property.name)'"
        if property.name.isEmpty { throw Problem("line 1: class '\(name)' has a property without a name") }
        let target = property.target.flatMap { catalog.table(named: $0) }
        let scalar = property.scalar
        guard property.type == "link" ? target != nil : scalar != nil && property.target == nil else {
            throw Problem("\(subject) is of the unknown type '\(property.target ?? property.type)'")
        }
        let kind = scalar?.columnKind ?? .link
        var column = ColumnSpec(
            name: property.name, kind: kind, isOptional: property.nullable, target: target,
            isOwning: target.map { catalog.tables[$0].isEmbedded } ?? false, isIndexed: property.indexed,
            isPrimaryKey: property.primaryKey, typeCode: scalar?.rawValue ?? 0)
        guard let collection = property.collection else {
            if property.primaryKey, scalar?.canBePrimaryKey != true {
                throw Problem("\(subject) cannot be a primary key")
            }
            if property.indexed, scalar?.canBeIndexed != true {
                throw Problem("\(subject) cannot be indexed")
            }
            return [column]
        }
        if property.indexed || property.primaryKey { throw Problem("\(subject) cannot be indexed") }
        column.kind = .sequence
        column.element = ElementKind(kind, isOptional: property.nullable)
        switch collection {
        case "list": return [column]
        case "set":
            column.order = .sorted
            return [column]
        case "dictionary":
            var keys = column
            keys.element = .string
            keys.order = .sorted
            keys.isOptional = false
            keys.isOwning = false
            keys.target = nil
            column.name = ColumnSpec.valuesName(of: column.name)
            column.order = .values
            return [keys, column]
        default: throw Problem("\(subject) is of the unknown collection '\(collection)'")
        }
    }

    // MARK: Objects

    /// Creates the objects in a file, some in each transaction.
    func fill(_ file: ImportedFile, _ progress: (Int) -> Void) throws {
        try file.define(define)
        // The lines of objects that lead to later ones.
        var incomplete: [Int] = []
        try forEachBatch(in: file) { transaction, object in
            progress(object.line - 1)
            if try !insert(object, transaction) { incomplete.append(object.line) }
        }
        try file.write(reserveKeys)
        if !incomplete.isEmpty {
            var next = 0
            func isComplete(_ line: Int) -> Bool { next == incomplete.count || incomplete[next] != line }
            try forEachBatch(in: file, skipping: { line, _ in isComplete(line) }) { transaction, object in
                next += 1
                var writer = ValueReader(transaction: transaction, line: object.line)
                try writer.set(object.values, object.key, object.some) { $0.leadsToOthers }
            }
        }
        if header.classes.contains(where: \.isEmbedded) {
            // The beginnings of the other lines, as exports write them.
            let others = header.classes.filter { !$0.isEmbedded }.map { some in
                var name = JSONText()
                name.string(some.name)
                return Array("{\"class\":\(name.text),".utf8)
            }
            try forEachBatch(in: file, skipping: { _, line in others.contains { line.starts(with: $0) } }) {
                transaction, object in
                if object.some.isEmbedded {
                    try ImportedObjects(transaction).checkOwner(of: object.key, object.some.table)
                }
            }
        }
    }

    /// Creates an object with its values, but without links if it leads to objects that do not exist yet. Returns whether it has
    /// all values.
    private func insert(_ object: Object, _ transaction: WriteTransaction) throws -> Bool {
        let (table, key) = (object.some.table, object.key)
        if transaction.table(table).contains(key) {
            throw Problem(
                "line \(object.line): class '\(object.some.name)' has two objects with key \(key)")
        }
        transaction.insert(into: table, at: key)
        var writer = ValueReader(transaction: transaction, line: object.line)
        let isComplete = writer.reachesExistingObjects(object.values, object.some)
        try writer.set(object.values, key, object.some) { isComplete || !$0.leadsToOthers }
        try ImportedObjects(transaction).checkPrimaryKey(of: key, table)
        return isComplete
    }

    private func reserveKeys(_ transaction: WriteTransaction) {
        for some in header.classes {
            let table = transaction.catalog.table(named: some.name)!
            if let next = some.nextKey, next > 0, next < 1 << 55 {
                transaction.reserveKeys(below: next, in: table)
            }
        }
    }

    /// An object that a line describes.
    private struct Object {
        var line: Int
        var some: StoredClass
        var key: ObjectKey
        var values: JSONValue.Members
    }

    /// Calls `body` for all objects, some in each transaction, except for those of skipped lines.
    private func forEachBatch(
        in file: ImportedFile,
        skipping isSkipped: (_ number: Int, _ line: UnsafeBufferPointer<UInt8>) -> Bool = { _, _ in false },
        _ body: (WriteTransaction, Object) throws -> Void
    ) throws {
        var lines = try LineReader(path)
        _ = try lines.next { _ in }
        var isAtEnd = false
        while !isAtEnd {
            try file.write { transaction in
                let classes = Dictionary(
                    uniqueKeysWithValues: StoredClass.all(transaction.catalog).map { ($0.name, $0) })
                var (count, bytes) = (0, 0)
                while count < batchLines, bytes < batchBytes {
                    let number = lines.number + 1
                    let isThere: Void? = try lines.next { line in
                        if isSkipped(number, line) { return }
                        try body(transaction, try object(line, number, classes))
                        count += 1
                        bytes += line.count
                    }
                    if isThere == nil {
                        isAtEnd = true
                        break
                    }
                }
            }
        }
    }

    private func object(
        _ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ classes: [String: StoredClass]
    ) throws(Problem) -> Object {
        guard let object = JSONValue(bytes), let name = object["class"]?.string,
            let values = object["values"]?.object, let key = object["key"]?.int
        else { throw Problem("line \(line): this is no object with 'class', 'key' and 'values'") }
        guard let some = classes[name] else { throw Problem("line \(line): there is no class '\(name)'") }
        guard key > 0, key < 1 << 55 else { throw Problem("line \(line): there can be no key \(key)") }
        return Object(line: line, some: some, key: ObjectKey(key), values: values)
    }
}

/// A reader of a file's lines, which skips empty ones. It holds one line and the bytes read ahead in memory.
struct LineReader {
    private let file: FileHandle
    private var buffer: [UInt8] = []
    /// The beginning of the next line in the buffer, and the position from which its end is searched.
    private var (start, searched) = (0, 0)
    private var isAtEnd = false
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    /// Opens the file at a path.
    init(_ path: String) throws { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }

    /// Calls `body` with the next line, and returns its result; returns nil if there is no line.
    mutating func next<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result? {
        while true {
            let end = buffer.withUnsafeBufferPointer { bytes in
                bytes.count == searched
                    ? nil
                    : memchr(bytes.baseAddress! + searched, 0x0A, bytes.count - searched).map {
                        $0 - UnsafeMutableRawPointer(mutating: bytes.baseAddress!)
                    }
            }
            if end == nil, !isAtEnd {
                searched = buffer.count
                try readAhead()
                continue
            }
            let line = start..<(end ?? buffer.count)
            start = min(line.upperBound + 1, buffer.count)
            searched = start
            if !line.isEmpty {
                number += 1
                return try buffer.withUnsafeBufferPointer {
                    try body(UnsafeBufferPointer(rebasing: $0[line]))
                }
            }
            if isAtEnd, start == buffer.count { return nil }
        }
    }

    private mutating func readAhead() throws {
        buffer.removeSubrange(..<start)
        (start, searched) = (0, searched - start)
        let more = try file.read(upToCount: 1 << 18) ?? Data()
        isAtEnd = more.isEmpty
        buffer.append(contentsOf: more)
    }
}
