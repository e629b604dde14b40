/// One step of a scenario's write transaction.
enum Operation: Sendable {
    case create(class: String, properties: [String: JSONValue])
    case delete(class: String, id: Int)
    case deleteAll(class: String)
    case edit(class: String, id: Int, property: String, PropertyEdit)
}

/// An edit of one property of one object.
enum PropertyEdit: Sendable {
    case assign(JSONValue)
    case listInsert(JSONValue, at: Int)
    case listAppend(JSONValue)
    case listRemove(at: Int)
    case listSet(JSONValue, at: Int)
    case listMove(from: Int, to: Int)
    case listSwap(Int, Int)
    case listClear
    case listDeleteTargets
    case setAdd(JSONValue)
    case setRemove(JSONValue)
    case setClear
    case dictionaryPut(JSONValue, key: String)
    case dictionaryRemove(key: String)
    case dictionaryClear
}

extension Operation: Decodable {
    fileprivate enum CodingKeys: String, CodingKey {
        case op, `class`, id, prop, props, value, index, from, to, a, b, key
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let name = try fields.decode(String.self, forKey: .op)
        let className = try fields.decode(String.self, forKey: .class)
        switch name {
        case "create":
            let properties = try fields.decode([String: JSONValue].self, forKey: .props)
            self = .create(class: className, properties: properties)
        case "delete_all":
            self = .deleteAll(class: className)
        case "delete":
            self = .delete(class: className, id: try fields.decode(Int.self, forKey: .id))
        default:
            self = .edit(
                class: className,
                id: try fields.decode(Int.self, forKey: .id),
                property: try fields.decode(String.self, forKey: .prop),
                try PropertyEdit(name: name, fields: fields))
        }
    }
}

extension PropertyEdit {
    fileprivate init(name: String, fields: KeyedDecodingContainer<Operation.CodingKeys>) throws {
        func int(_ key: Operation.CodingKeys) throws -> Int { try fields.decode(Int.self, forKey: key) }
        func key() throws -> String { try fields.decode(String.self, forKey: .key) }
        func value() throws -> JSONValue { try fields.decode(JSONValue.self, forKey: .value) }

        switch name {
        case "set": self = .assign(try value())
        case "list_insert": self = .listInsert(try value(), at: try int(.index))
        case "list_append": self = .listAppend(try value())
        case "list_remove": self = .listRemove(at: try int(.index))
        case "list_set": self = .listSet(try value(), at: try int(.index))
        case "list_move": self = .listMove(from: try int(.from), to: try int(.to))
        case "list_swap": self = .listSwap(try int(.a), try int(.b))
        case "list_clear": self = .listClear
        case "list_delete_targets": self = .listDeleteTargets
        case "set_add": self = .setAdd(try value())
        case "set_remove": self = .setRemove(try value())
        case "set_clear": self = .setClear
        case "dict_put": self = .dictionaryPut(try value(), key: try key())
        case "dict_remove": self = .dictionaryRemove(key: try key())
        case "dict_clear": self = .dictionaryClear
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .op, in: fields, debugDescription: "unknown operation \(name)")
        }
    }
}
