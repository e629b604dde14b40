import Foundation
import Kivo

/// The place where a step happens, which resolves the names of a case to accessors.
final class KeyValueCaseSide {
    /// The classes that the objects are of.
    let kind: KeyValueCaseKind
    /// The realm in which the step changes things.
    let realm: Realm?
    private let aliases: [String: String]
    private let resolve: (String) -> (any KeyValueCaseModel)?
    private let adopt: (String, any KeyValueCaseModel) -> Void

    /// - Parameters:
    ///   - aliases: names that stand for paths.
    ///   - resolve: finds an object of a name.
    ///   - adopt: is given an object that a name was first used for.
    init(
        kind: KeyValueCaseKind, realm: Realm?, aliases: [String: String],
        resolve: @escaping (String) -> (any KeyValueCaseModel)?,
        adopt: @escaping (String, any KeyValueCaseModel) -> Void
    ) {
        self.kind = kind
        self.realm = realm
        self.aliases = aliases
        self.resolve = resolve
        self.adopt = adopt
    }

    /// The path that a value refers to an object by.
    func path(_ value: JSONValue) -> String? {
        guard case .string(let text) = value, text.hasPrefix("<"), text.hasSuffix(">") else { return nil }
        return String(text.dropFirst().dropLast())
    }

    /// The object of a name that a value of a model class is wanted for; made if there is none yet.
    func object<Model: KeyValueCaseModel>(_ path: String, _ type: Model.Type) throws -> Model {
        if path.contains(where: { $0 == "." || $0 == "[" }) {
            if let object = try value(path) as? Model { return object }
        } else if let known = resolve(path) {
            if let object = known as? Model { return object }
        } else {
            let object = Model()
            adopt(path, object)
            return object
        }
        throw KeyValueCaseError("<\(path)> where a model has \(type)")
    }

    /// Makes an object known under a name.
    func register(_ name: String, _ object: any KeyValueCaseModel) { adopt(name, object) }

    func model(_ path: String) throws -> any KeyValueCaseModel {
        guard let object = try value(path) as? any KeyValueCaseModel else {
            throw KeyValueCaseError("'\(path)', which is no object here")
        }
        return object
    }

    /// Returns the value at a path, such as `owner.array[0]`, read through Swift properties.
    func value(_ path: String) throws -> Any {
        var parts = path.split(separator: ".").map(Substring.init)
        guard let first = parts.first else { throw KeyValueCaseError("an object without a name") }
        if let alias = aliases[String(first)] {
            parts.replaceSubrange(0..<1, with: alias.split(separator: "."))
        }
        var value: Any?
        for (index, part) in parts.enumerated() {
            let pieces = part.split(whereSeparator: { $0 == "[" || $0 == "]" })
            let name = String(pieces.first ?? "")
            if index == 0, resolve(name) == nil { throw KeyValueCaseError("the object '\(name)'") }
            value =
                index == 0 ? resolve(name) : (value as? any KeyValueCaseModel).flatMap { Self.read($0, name) }
            for piece in pieces.dropFirst() {
                let list = value as? any KeyValueCaseList
                value = Int(piece).flatMap { list?.element($0) }
            }
        }
        // A missing part of a path is the case's own error.
        guard let value else { throw ConformanceError("'\(path)' is not there") }
        return value
    }

    private static func read(_ object: any KeyValueCaseModel, _ name: String) -> Any? {
        if let property = type(of: object).caseProperty(name) {
            return property.get(object)
        }
        return flattened(object.value(forKey: name))
    }

    /// A value of a case as Swift has it without knowing what it is for.
    func any(_ value: JSONValue) throws -> Any? {
        if let path = path(value) { return try self.value(path) }
        switch value {
        case .null: return nil
        case .bool(let bool): return bool
        case .int(let int): return int
        case .double(let double): return double
        case .string(let string): return string
        case .array(let elements): return try elements.map { try any($0) ?? NSNull() }
        case .object(let members): return try any(members)
        }
    }

    private func any(_ members: [String: JSONValue]) throws -> Any? {
        guard members.count == 1, let (form, value) = members.first else {
            return try kind.model("Table").make(.object(members), self)
        }
        switch (form, value) {
        case ("set", _): return try Set<AnyHashable>.make(value, self)
        case ("struct", _):
            guard let parts = value.ints, parts.count == 3 else { break }
            return KeyValueCasePoint(x: parts[0], y: parts[1], z: parts[2])
        case ("data", .string(let text)): return Data(text.utf8)
        case ("date", .int(let seconds)): return Date(timeIntervalSince1970: Double(seconds))
        case ("date", .double(let seconds)): return Date(timeIntervalSince1970: seconds)
        case ("objectId", .string(let symbol)): return KeyValueCaseSymbol.objectId(symbol)
        case ("uuid", .string(let symbol)): return KeyValueCaseSymbol.uuid(symbol)
        case ("decimal", .string(let text)): return try Decimal128(string: text)
        case ("decimal", .int(let number)): return Decimal128(number)
        case ("some", _): return try any(value)
        case ("mixed", _): return Self.foundation(value)
        default: break
        }
        return try kind.model("Table").make(.object(members), self)
    }

    /// A value of a case as Foundation's collections have it.
    static func foundation(_ value: JSONValue) -> Any {
        switch value {
        case .null: return NSNull()
        case .bool(let bool): return bool
        case .int(let int): return int
        case .double(let double): return double
        case .string(let string): return string
        case .array(let elements): return NSArray(array: elements.map(foundation))
        case .object(let members):
            if members.count == 1, let elements = members["set"]?.elements {
                return NSSet(array: elements.map(foundation))
            }
            let dictionary = NSMutableDictionary()
            for (key, member) in members { dictionary[key as NSString] = foundation(member) }
            return dictionary
        }
    }
}
