import Foundation
import Kivo
import KivoEngine

/// Makes of the lines of an export what they describe.
///
/// What the lines say is checked as they are carried out, and as a whole at the end: see ``ImportedObjects``.
struct ExportReader {
    private let lines: [Data]
    private let header: Header
    /// The line that is read, counted from 1.
    private var line = 1

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
    }

    /// The lines of an export; the first is read at once.
    init(_ data: Data) throws(Problem) {
        lines = data.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, let header = try? JSONDecoder().decode(Header.self, from: first),
            header.kivo == "export"
        else { throw Problem("line 1: this is no export of 'kivo export'") }
        guard header.version == ExportHeader.version else {
            throw Problem("line 1: the export is of version \(header.version), which this tool does not know")
        }
        self.header = header
    }

    var schemaVersion: UInt64 { UInt64(header.schemaVersion) ?? 0 }
    var objectCount: Int { lines.count - 1 }

    // MARK: Classes

    /// Makes the tables.
    func define(_ catalog: inout Catalog) throws {
        for some in header.classes {
            guard catalog.table(named: some.name) == nil, AnyContainer(rawValue: some.name) == nil,
                !some.name.isEmpty
            else { throw Problem("line 1: there can be no class '\(some.name)', or not twice") }
            _ = catalog.declare(some.name, isEmbedded: some.isEmbedded)
        }
        if header.classes.contains(where: { $0.properties.contains { $0.type == "AnyRealmValue" } }) {
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

    /// The tables in which lists and dictionaries are that are values of their own; as Kivo declares them.
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
                    name: "entries.values", kind: .sequence, element: .any, order: .values, typeCode: any),
            ], typeName: "Kivo._AnyDictionary")
    }

    private func columns(
        _ property: Property, _ name: String, _ catalog: Catalog
    ) throws(Problem) -> [ColumnSpec] {
        let place = "line 1: property '\(name).\(property.name)'"
        let target = property.target.flatMap { catalog.table(named: $0) }
        let code = StoredClass.Property.typeNames.first { $0.value == property.type }?.key
        guard property.type == "link" ? target != nil : code != nil && property.target == nil else {
            throw Problem("\(place) is of the unknown type '\(property.target ?? property.type)'")
        }
        let isLink = property.type == "link"
        let kind: ColumnKind = isLink ? .link : ExportReader.kind(code!)
        var column = ColumnSpec(
            name: property.name, kind: kind, isOptional: property.nullable, target: target,
            isOwning: target.map { catalog.tables[$0].isEmbedded } ?? false, isIndexed: property.indexed,
            isPrimaryKey: property.primaryKey, typeCode: code ?? 0)
        guard let collection = property.collection else {
            let isKey = [.word, .wide, .string].contains(kind)
            if !isKey, kind != .any, property.indexed || property.primaryKey {
                throw Problem("\(place) cannot be indexed")
            }
            return [column]
        }
        if property.indexed || property.primaryKey { throw Problem("\(place) cannot be indexed") }
        column.kind = .sequence
        column.element = ExportReader.element(kind, property.nullable)
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
            column.name += ".values"
            column.order = .values
            return [keys, column]
        default: throw Problem("\(place) is of the unknown collection '\(collection)'")
        }
    }

    private static func kind(_ code: UInt8) -> ColumnKind {
        switch ScalarType(rawValue: code) {
        case .string: .string
        case .data: .bytes
        case .uuid, .objectId, .decimal128: .wide
        case .any: .any
        default: .word
        }
    }

    private static func element(_ kind: ColumnKind, _ isOptional: Bool) -> ElementKind {
        switch kind {
        case .link: .link
        case .string: .string
        case .bytes: .bytes
        case .any: .any
        case .wide: isOptional ? .optionalWide : .wide
        default: isOptional ? .optionalWord : .word
        }
    }

    // MARK: Objects

    /// Makes the objects, in one transaction.
    mutating func fill(_ transaction: WriteTransaction, _ progress: (Int) -> Void) throws {
        let classes = Dictionary(
            uniqueKeysWithValues: StoredClass.all(transaction.catalog).map { ($0.name, $0) })
        var keys: [TableID: [ObjectKey]] = [:]
        for number in lines.indices.dropFirst() {
            line = number + 1
            let (some, key, _) = try object(lines[number], classes)
            keys[some.table, default: []].append(key)
        }
        // All are there before the first leads to another.
        for (table, keys) in keys.sorted(by: { $0.key < $1.key }) {
            for key in keys.sorted() {
                if transaction.table(table).contains(key) {
                    throw Problem(
                        "class '\(transaction.catalog.tables[table].name)' has two objects with key \(key)")
                }
                transaction.insert(into: table, at: key)
            }
        }
        for some in header.classes {
            let table = transaction.catalog.table(named: some.name)!
            if let next = some.nextKey, next > 0, next < 1 << 55 {
                transaction.reserveKeys(below: next, in: table)
            }
        }
        for number in lines.indices.dropFirst() {
            line = number + 1
            progress(number)
            let (some, key, values) = try object(lines[number], classes)
            var writer = ValueReader(transaction: transaction, line: line)
            try writer.set(values, key, some)
        }
        try ImportedObjects(transaction).check()
    }

    private func object(
        _ data: Data, _ classes: [String: StoredClass]
    ) throws(Problem) -> (StoredClass, ObjectKey, [String: JSONValue]) {
        guard let object = JSONValue(data), let name = object["class"]?.string,
            let values = object["values"]?.object, let key = object["key"]?.int
        else { throw Problem("line \(line): this is no object with 'class', 'key' and 'values'") }
        guard let some = classes[name] else { throw Problem("line \(line): there is no class '\(name)'") }
        guard key > 0, key < 1 << 55 else { throw Problem("line \(line): there can be no key \(key)") }
        return (some, ObjectKey(key), values)
    }
}
