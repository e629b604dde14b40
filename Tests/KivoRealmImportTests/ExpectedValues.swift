import Foundation
import Kivo

/// The objects of a file as its description has them, and those of a realm, in one form of words.
///
/// What differs by nature is left out: how a decimal number is written, the order of sets, which NaN a `Float` is, keys.
struct ExpectedValues {
    /// A property as the description has it.
    struct Property {
        let json: [String: Any]
        /// The name in the realm.
        var name: String { (json["name"] as! String).replacingOccurrences(of: ".", with: "_") }
        var type: String { json["type"] as! String }
        var collection: String? { json["collection"] as? String }
        var isNullable: Bool { json["nullable"] as? Bool ?? false }
        var target: String? { json["target"] as? String }
    }

    /// A class as the description has it.
    struct Table {
        let json: [String: Any]
        var name: String { json["name"] as! String }
        var isEmbedded: Bool { json["isEmbedded"] as? Bool ?? false }
        var isClass: Bool { (json["tableName"] as! String).hasPrefix("class_") }
        let properties: [Property]
        let objects: [[String: Any]]
        /// The places of the objects, by key.
        let places: [String: Int]

        init(_ json: [String: Any]) {
            self.json = json
            properties = (json["properties"] as! [[String: Any]]).map { Property(json: $0) }
            objects = json["objects"] as! [[String: Any]]
            places = Dictionary(
                objects.enumerated().map { ("\($1["key"]!)", $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    let tables: [Table]
    private let byName: [String: Int]

    init(_ json: [String: Any]) {
        tables = (json["tables"] as? [[String: Any]] ?? []).map(Table.init).filter(\.isClass)
        byName = Dictionary(
            tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func table(_ name: String) -> Table { tables[byName[name]!] }

    // MARK: The description

    /// The values of an object of the description.
    func words(of object: [String: Any], _ table: Table) -> String {
        let values = object["values"] as! [String: Any]
        return table.properties.map { property in
            "\(property.name)=\(words(values[property.json["name"] as! String]!, property))"
        }.joined(separator: " ")
    }

    private func words(_ value: Any, _ property: Property) -> String {
        switch property.collection {
        case "list": "[" + (value as! [Any]).map { element($0, property) }.joined(separator: ",") + "]"
        case "set":
            "{" + (value as! [Any]).map { element($0, property) }.sorted().joined(separator: ",") + "}"
        case "dictionary":
            "("
                + (value as! [[Any]]).map { "\($0[0])" + ":" + element($0[1], property) }.sorted()
                .joined(separator: ",") + ")"
        default: element(value, property)
        }
    }

    private func element(_ value: Any, _ property: Property) -> String {
        if property.type == "mixed" { return mixed(value) }
        if value is NSNull { return "nil" }
        if property.type == "link" { return link(value as! [String: Any], property.target!) }
        if let text = value as? [String: Any], text["invalidUTF8"] != nil {
            return property.isNullable ? "nil" : "\"\""
        }
        return scalar(value, property.type)
    }

    private func mixed(_ value: Any) -> String {
        guard let typed = value as? [String: Any] else { return "nil" }
        let (type, value) = (typed["type"] as! String, typed["value"]!)
        switch type {
        case "link":
            let link = value as! [String: Any]
            return self.link(link, link["class"] as! String)
        case "list": return "[" + (value as! [Any]).map(mixed).joined(separator: ",") + "]"
        case "dictionary":
            return "("
                + (value as! [[Any]]).map { "\($0[0])" + ":" + mixed($0[1]) }.sorted().joined(separator: ",")
                + ")"
        case "string": if (value as? [String: Any])?["invalidUTF8"] != nil { return "nil" }
        default: break
        }
        return scalar(value, type)
    }

    private func link(_ link: [String: Any], _ target: String) -> String {
        let table = table(target)
        let place = table.places["\(link["key"]!)"]!
        return table.isEmbedded ? "<" + words(of: table.objects[place], table) + ">" : "\(target)@\(place)"
    }

    private func scalar(_ value: Any, _ type: String) -> String {
        switch type {
        case "bool": return value as! Bool ? "true" : "false"
        case "float":
            let bits = UInt32((value as! [String: Any])["bits"] as! String, radix: 16)!
            return ExpectedValues.words(Float(bitPattern: bits))!
        case "double":
            return ExpectedValues.words(
                Double(bitPattern: UInt64((value as! [String: Any])["bits"] as! String, radix: 16)!))!
        case "string":
            if let long = value as? [String: Any] { return "\(long["utf8Length"]!)\"\(long["prefix"]!)\"" }
            return ExpectedValues.words(value as! String)!
        case "data":
            let json = value as! [String: Any]
            return json["byteLength"].map { "<\($0) \(json["prefixHex"]!)>" } ?? "<\(json["hex"]!)>"
        case "date":
            let json = value as! [String: Any]
            let seconds = (json["seconds"] as? Int) ?? Int(json["seconds"] as! String)!
            return ExpectedValues.words(
                Date(
                    timeIntervalSinceReferenceDate: Double(seconds) - 978_307_200
                        + Double(json["nanoseconds"] as! Int) / 1e9))!
        case "decimal128":
            let repr = (value as! [String: Any])["repr"] as! String
            return ExpectedValues.words(try! Decimal128(string: repr))!
        default: return "\(value)"
        }
    }

    // MARK: The realm

    /// The values of an object of a realm.
    func words(of object: ObjectBase, _ table: Table, _ realm: Realm) -> String {
        table.properties.map { property in
            "\(property.name)=\(words(object[property.name], property, realm))"
        }.joined(separator: " ")
    }

    private func words(_ value: Any?, _ property: Property, _ realm: Realm) -> String {
        switch property.collection {
        case "list": "[" + elements(value).map { words($0, realm) }.joined(separator: ",") + "]"
        case "set": "{" + elements(value).map { words($0, realm) }.sorted().joined(separator: ",") + "}"
        case "dictionary":
            "(" + entries(value).map { $0 + ":" + words($1, realm) }.sorted().joined(separator: ",") + ")"
        default: words(value, realm)
        }
    }

    private func elements(_ value: Any?) -> [Any?] {
        func all(_ elements: some Sequence) -> [Any?] { elements.map { $0 as Any? } }
        let collection = value as! any Sequence
        return all(collection)
    }

    private func entries(_ value: Any?) -> [(String, Any?)] {
        elements(value).map { entry in
            let parts = Array(Mirror(reflecting: entry!).children)
            return (parts[0].value as! String, parts[1].value)
        }
    }

    private func words(_ value: Any?, _ realm: Realm) -> String {
        guard let value = unwrapped(value) else { return "nil" }
        if let any = value as? AnyRealmValue { return words(any, realm) }
        if let list = value as? List<AnyRealmValue> { return words(.list(list), realm) }
        if let map = value as? Map<String, AnyRealmValue> { return words(.dictionary(map), realm) }
        if let object = value as? ObjectBase { return words(of: object, realm) }
        return ExpectedValues.words(value)!
    }

    private func words(_ value: AnyRealmValue, _ realm: Realm) -> String {
        switch value {
        case .none: "nil"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .float(let value): ExpectedValues.words(value)!
        case .double(let value): ExpectedValues.words(value)!
        case .string(let value): ExpectedValues.words(value)!
        case .data(let value): ExpectedValues.words(value)!
        case .date(let value): ExpectedValues.words(value)!
        case .object(let value): words(of: value, realm)
        case .objectId(let value): "\(value)"
        case .decimal128(let value): ExpectedValues.words(value)!
        case .uuid(let value): ExpectedValues.words(value)!
        case .dictionary(let map):
            "(" + map.map { $0.key + ":" + words($0.value, realm) }.sorted().joined(separator: ",") + ")"
        case .list(let list): "[" + list.map { words($0, realm) }.joined(separator: ",") + "]"
        }
    }

    private func words(of object: ObjectBase, _ realm: Realm) -> String {
        let name = object.objectSchema.className
        let table = table(name)
        if table.isEmbedded { return "<" + words(of: object, table, realm) + ">" }
        return "\(name)@\(realm.dynamicObjects(name).firstIndex { $0.isSameObject(as: object) } ?? -1)"
    }

    private func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }

    // MARK: Both

    private static func words(_ value: Any) -> String? {
        switch value {
        case let value as Float: value.isNaN ? "nan" : "f\(value.bitPattern)"
        case let value as Double: "d\(value.bitPattern)"
        case let value as String:
            value.utf8.count > 4096
                ? "\(value.utf8.count)\"\(String(String.UnicodeScalarView(value.unicodeScalars.prefix(32))))\""
                : "\"\(value)\""
        case let value as Data:
            if value.count > 4096 {
                "<\(value.count) \(hex(value.prefix(32)))>"
            } else {
                "<\(hex(value))>"
            }
        case let value as Date: String(format: "%.6f", value.timeIntervalSinceReferenceDate)
        case let value as UUID: value.uuidString.lowercased()
        // How many zeros a number ends with is not kept.
        case let value as Decimal128: "\(value.bits)"
        default: "\(value)"
        }
    }

    private static func hex(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
