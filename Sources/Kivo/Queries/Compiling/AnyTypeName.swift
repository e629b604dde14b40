import KivoEngine

/// The type of a value of any type, as predicate strings name it: `content.@type == 'string'`.
enum AnyTypeName: UInt64 {
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

    /// The type as a value of an operand.
    var cell: Cell { .word(rawValue) }

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

/// Comparisons by `@type`, of the types of values of any type.
extension QueryComparison {
    /// Returns the path and the test of a comparison by `@type`; nil for other comparisons. Throws if types cannot be compared by this
    /// operator.
    func typeTest() throws(QueryMismatch) -> (path: QueryPath, test: ValueTest)? {
        guard case .path(var path) = left, path.components.last == .type else {
            if case .path(let path) = right, path.components.last == .type {
                throw QueryMismatch(
                    "'\(path.text)' is compared with the names of types, as in \"\(path.text) == 'string'\".")
            }
            return nil
        }
        let text = path.text
        path.components.removeLast()
        guard case .value(let value) = right, [.equal, .notEqual, .isIn].contains(self.operator) else {
            throw QueryMismatch(
                "'\(text)' is compared by ==, != or IN with the names of types, as in \"\(text) == 'string'\"."
            )
        }
        let names = self.operator == .isIn ? CollectionContents.elements(of: value) ?? [] : [value as Any]
        var types: Set<AnyTypeName> = []
        for name in names {
            guard let name = flatten(name) as? String, let named = AnyTypeName.named(name) else {
                throw QueryMismatch("'\(flatten(name) ?? "nil")' names no type that '\(text)' could be.")
            }
            types.formUnion(named)
        }
        let isNamed = ValueTest.oneOf(CellSet(types.map(\.cell), .natural))
        return (path, self.operator == .notEqual ? .rule { !isNamed.holds($0) } : isNamed)
    }
}

extension QueryPath {
    /// Throws unless the path before `@type` leads to values of any type.
    func checkIsAny(_ type: QueryValueType) throws(QueryMismatch) {
        if type.isAny { return }
        throw QueryMismatch("'\(text)' is \(type.text): '@type' asks for the types of values of any type.")
    }
}
