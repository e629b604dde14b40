/// Any JSON value of a scenario: a property's value, the contents of what is observed, an expected change.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    /// JSON does not distinguish 2 from 2.0, so a whole number is always an int here, whatever it was in Swift.
    init(_ number: Double) {
        if let whole = Int(exactly: number) { self = .int(whole) } else { self = .double(number) }
    }

    init(_ numbers: [Int]) {
        self = .array(numbers.map(JSONValue.int))
    }

    init(_ strings: [String]) {
        self = .array(strings.map(JSONValue.string))
    }

    /// The value as an array of ints, nil if it is anything else.
    var ints: [Int]? {
        guard case .array(let elements) = self else { return nil }
        var ints: [Int] = []
        for element in elements {
            guard case .int(let int) = element else { return nil }
            ints.append(int)
        }
        return ints
    }

    /// The value as an array of strings, nil if it is anything else.
    var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        var strings: [String] = []
        for element in elements {
            guard case .string(let string) = element else { return nil }
            strings.append(string)
        }
        return strings
    }

    /// The members of an object, nil for anything else.
    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements of an array, nil for anything else.
    var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The member of an object, nil if there is none or this is not an object.
    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        // Most frequent first: every wrong guess costs a thrown error.
        let container = try decoder.singleValueContainer()
        if let int = try? container.decode(Int.self) {
            self = .int(int)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else if let object = try? container.decode([String: JSONValue].self) {
            self = .object(object)
        } else if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else {
            self.init(try container.decode(Double.self))
        }
    }
}

extension JSONValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .int(let int): "\(int)"
        case .double(let double): "\(double)"
        case .string(let string): "\"\(string)\""
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        }
    }
}
