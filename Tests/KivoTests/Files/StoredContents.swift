import Foundation
import Kivo

/// A class whose objects stored files hold.
protocol StoredClass: Object {}

extension StoredClass {
    /// All objects of the class.
    fileprivate static func all(in realm: Realm) -> [Object] { Array(realm.objects(Self.self)) }
}

extension StoredScalars: StoredClass {}
extension StoredLists: StoredClass {}
extension StoredSets: StoredClass {}
extension StoredMaps: StoredClass {}
extension StoredWide: StoredClass {}
extension StoredRow: StoredClass {}
extension StoredLaterRow: StoredClass {}

/// The contents of a realm as text: a line for each object and one for each of its properties, in an order that does not
/// depend on how they are stored.
enum StoredContents {
    static func text(_ realm: Realm, _ classes: [ObjectBase.Type]) -> String {
        var lines: [String] = []
        for case let type as any StoredClass.Type in classes {
            for (index, object) in type.all(in: realm).enumerated() {
                lines.append("\(type._realmObjectName() ?? type.className()) \(index)")
                lines += properties(of: object).map { "    " + $0 }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func properties(of object: ObjectBase) -> [String] {
        object.objectSchema.properties.map(\.name).sorted().map { name in
            "\(name): \(text(object.value(forKey: name)))"
        }
    }

    private static func text(_ value: Any?) -> String {
        guard let value else { return "nil" }
        switch value {
        case let any as AnyRealmValue: return text(any)
        case let object as EmbeddedObject: return "{" + properties(of: object).joined(separator: ", ") + "}"
        case let object as Object: return reference(object)
        case let map as any RealmKeyedCollection: return entries(map)
        case let collection as any RealmCollection: return elements(collection)
        case let data as Data: return data.map { String($0, radix: 16) }.joined(separator: " ")
        case let date as Date: return "\(date.timeIntervalSinceReferenceDate)"
        case let string as String: return "'\(string)'"
        default:
            // Optionals in collections.
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return "\(value)" }
            return text(mirror.children.first?.value)
        }
    }

    private static func text(_ any: AnyRealmValue) -> String {
        switch any {
        case .none: "nil"
        case .int(let value): "int \(value)"
        case .bool(let value): "\(value)"
        case .float(let value): "float \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): text(value)
        case .data(let value): text(value)
        case .date(let value): text(value)
        case .object(let value): text(value)
        case .objectId(let value): "objectId \(value)"
        case .decimal128(let value): "decimal \(value)"
        case .uuid(let value): "uuid \(value)"
        case .list(let list): elements(list)
        case .dictionary(let map): entries(map)
        }
    }

    /// An object by its primary key.
    private static func reference(_ object: Object) -> String {
        let key = object.objectSchema.primaryKeyProperty.map { object.value(forKey: $0.name) }
        return "\(type(of: object).className()) " + text(key ?? nil)
    }

    private static func elements(_ collection: some RealmCollection) -> String {
        var elements: [String] = collection.map { text($0) }
        // The order of a set is not part of the format.
        if "\(type(of: collection))".hasPrefix("MutableSet<") { elements.sort() }
        return "[" + elements.joined(separator: ", ") + "]"
    }

    private static func entries(_ map: some RealmKeyedCollection) -> String {
        "[" + zip(map.keys, map.values).map { "'\($0)': \(text($1))" }.sorted().joined(separator: ", ") + "]"
    }
}
