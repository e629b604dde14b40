import Kivo
import KivoEngine

/// An edit that the page asks for.
enum StudioEdit {
    /// A new value: one of JSON, or a text that a person wrote.
    enum Value {
        case json(JSONValue)
        case text(String)
        /// A text as a value of a property of type any.
        case any(type: String, text: String)
    }

    /// The value that an edit was made on: in one of the forms in which the page gets values, or its fingerprint.
    enum Known {
        case value(JSONValue)
        case hash(String)
    }

    case set(name: String, key: ObjectKey, property: String, Value, was: Known)
    case create(name: String, [(name: String, value: Value)])
    case duplicate(name: String, key: ObjectKey)
    case delete(name: String, [ObjectKey])

    static let largestCount = 1000

    /// Reads the edits of a request.
    static func all(_ body: JSONValue?) throws -> [StudioEdit] {
        guard let edits = body?["edits"]?.array, !edits.isEmpty, edits.count <= largestCount else {
            throw HTTPProblem(.badRequest, "The body has no 'edits'.")
        }
        return try edits.map(StudioEdit.init)
    }

    private init(_ json: JSONValue) throws {
        guard let name = json["class"]?.string else {
            throw HTTPProblem(.badRequest, "An edit has no 'class'.")
        }
        let key = json["key"]?.int.map { ObjectKey($0) }
        switch json["kind"]?.string {
        case "set":
            guard let key, let property = json["property"]?.string, let value = Value(json),
                let was = json["hash"]?.string.map(Known.hash) ?? json["was"].map(Known.value)
            else { throw HTTPProblem(.badRequest, "An edit lacks 'key', 'property', 'was' or its value.") }
            self = .set(name: name, key: key, property: property, value, was: was)
        case "create":
            let values = try (json["values"]?.object ?? []).map { member in
                guard let value = Value(member.value) else {
                    throw HTTPProblem(.badRequest, "'\(member.name)' has no value.")
                }
                return (name: member.name, value: value)
            }
            self = .create(name: name, values)
        case "duplicate":
            guard let key else { throw HTTPProblem(.badRequest, "An edit has no 'key'.") }
            self = .duplicate(name: name, key: key)
        case "delete":
            guard let keys = json["keys"]?.array?.compactMap(\.int), !keys.isEmpty else {
                throw HTTPProblem(.badRequest, "An edit has no 'keys'.")
            }
            self = .delete(name: name, keys.map { ObjectKey($0) })
        default: throw HTTPProblem(.badRequest, "The kind of an edit is set, create, duplicate or delete.")
        }
    }
}

extension StudioEdit.Value {
    /// Reads the member `value` or `text`; with a member `type`, a value of type any.
    fileprivate init?(_ json: JSONValue) {
        if let text = json["text"]?.string {
            self = json["type"]?.string.map { .any(type: $0, text: text) } ?? .text(text)
        } else if let value = json["value"] {
            self = .json(value)
        } else {
            return nil
        }
    }

    /// Returns the value as it is in exports.
    ///
    /// - Throws: ``EditProblem`` if a text stands for no value of the property.
    func json(for property: TableProperty, of some: StoredClass) throws(EditProblem) -> JSONValue {
        switch self {
        case .json(let json): return json
        case .text(let text):
            guard property.collection == nil, property.spec.target == nil,
                let type = ScalarType(rawValue: property.spec.typeCode), type != .any
            else {
                throw EditProblem(
                    .invalid, "'\(property.name)' is not written as a text.", property: property.name)
            }
            guard let value = StoredValue(text, type) else {
                throw EditProblem(
                    .invalid, "'\(text.prefix(40))' is no value of type \(type.name).",
                    property: property.name)
            }
            return JSONValue(value.json.utf8)!
        case .any(let typeName, let text):
            guard let type = ScalarType(jsonName: typeName), let value = StoredValue(text, type) else {
                throw EditProblem(
                    .invalid, "'\(text.prefix(40))' is no value of type \(typeName).", property: property.name
                )
            }
            return .object([("type", .string(typeName)), ("value", JSONValue(value.json.utf8)!)])
        }
    }
}

/// The reason why nothing was edited.
struct EditProblem: Error {
    var status: HTTPStatus
    var message: String
    var property: String?
    /// The value that another process has written.
    var theirs: StoredValue?
    /// Whether the page has to read the file again.
    var isOutdated = false

    /// The file was deleted.
    static let noFile = EditProblem(.gone, "The file is no longer there. Nothing was written.")
    /// The page knows other classes than the file has.
    static let outdated = EditProblem(
        .conflict, "The file was replaced or migrated by another program. Nothing was written.",
        isOutdated: true)

    init(
        _ status: HTTPStatus, _ message: String, property: String? = nil, theirs: StoredValue? = nil,
        isOutdated: Bool = false
    ) {
        (self.status, self.message, self.property) = (status, message, property)
        (self.theirs, self.isOutdated) = (theirs, isOutdated)
    }
}

extension JSONValue {
    /// Whether two values are equal: objects in any order of their members, and numbers by their value.
    func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.number(let a), .number(let b)): a == b || Double(a).map { $0 == Double(b) } == true
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.object(let a), .object(let b)):
            a.count == b.count
                && a.allSatisfy { member in
                    other[member.name].map { member.value.isSame(as: $0) } ?? false && !b.isEmpty
                }
        default: false
        }
    }
}
