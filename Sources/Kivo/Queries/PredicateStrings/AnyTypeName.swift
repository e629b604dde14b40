import KivoEngine

/// The type of a value of any type, as predicate strings name it: `content.@type == 'string'`.
enum AnyTypeName: Hashable {
    case null, int, bool, string, data, date, float, double, decimal128, object, objectId, uuid, list,
        dictionary

    /// Creates the type of a value.
    init(_ value: AnyRealmValue) {
        switch value {
        case .none: self = .null
        case .int: self = .int
        case .bool: self = .bool
        case .float: self = .float
        case .double: self = .double
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .object: self = .object
        case .objectId: self = .objectId
        case .decimal128: self = .decimal128
        case .uuid: self = .uuid
        case .dictionary: self = .dictionary
        case .list: self = .list
        }
    }

    /// Creates the type of the value of a cell.
    init(of cell: Cell, _ tables: AnyTables) {
        switch cell.anyTag {
        case .null: self = .null
        case .bool: self = .bool
        case .int: self = .int
        case .float: self = .float
        case .double: self = .double
        case .decimal128: self = .decimal128
        case .string: self = .string
        case .bytes: self = .data
        case .date: self = .date
        case .objectId: self = .objectId
        case .uuid: self = .uuid
        case .link:
            switch cell.target.flatMap({ tables.container($0) }) {
            case .list: self = .list
            case .dictionary: self = .dictionary
            case nil: self = .object
            }
        }
    }

    /// Returns the types for which a name stands, in upper or lower case; returns nil if the name is unknown.
    static func named(_ name: String) -> Set<AnyTypeName>? {
        switch name.lowercased() {
        case "null", "none": [.null]
        case "int", "integer", "long": [.int]
        case "bool", "boolean": [.bool]
        case "string": [.string]
        case "binary", "bindata", "data": [.data]
        case "date", "timestamp": [.date]
        case "float": [.float]
        case "double": [.double]
        case "decimal", "decimal128": [.decimal128]
        case "object", "link": [.object]
        case "objectid": [.objectId]
        case "uuid": [.uuid]
        case "list", "array": [.list]
        case "dictionary": [.dictionary]
        case "numeric": [.int, .float, .double, .decimal128]
        default: nil
        }
    }
}

/// A test of the type of values of any type.
struct AnyTypeTest {
    let types: Set<AnyTypeName>
    /// Whether the values must have none of the types.
    let isNegated: Bool

    func holds(_ name: AnyTypeName) -> Bool { types.contains(name) != isNegated }
}
