/// The scalar types that Kivo stores, by their names in Swift.
///
/// The tools that read sources are built without Kivo, so this repeats the part of Kivo's table of scalar types
/// (`Kivo/Values/Scalars/ScalarType.swift`) that concerns declarations. `ScalarNameTests` compares the two.
package enum ScalarName: String, CaseIterable {
    case bool = "Bool"
    case int = "Int"
    case int8 = "Int8"
    case int16 = "Int16"
    case int32 = "Int32"
    case int64 = "Int64"
    case float = "Float"
    case double = "Double"
    case string = "String"
    case data = "Data"
    case date = "Date"
    case uuid = "UUID"
    case objectId = "ObjectId"
    case decimal128 = "Decimal128"

    /// Creates the type with a name in Swift, which may be one of its other names there.
    init?(alias name: String) {
        switch name {
        case "TimeInterval", "Float64": self = .double
        case "Float32": self = .float
        default: self.init(rawValue: name)
        }
    }

    /// Whether values are integers.
    package var isInteger: Bool {
        switch self {
        case .int, .int8, .int16, .int32, .int64: true
        case .bool, .float, .double, .string, .data, .date, .uuid, .objectId, .decimal128: false
        }
    }

    /// Whether values are binary floating-point numbers.
    package var isFloatingPoint: Bool {
        switch self {
        case .float, .double: true
        case .bool, .int, .int8, .int16, .int32, .int64, .string, .data, .date, .uuid, .objectId, .decimal128:
            false
        }
    }

    /// Whether a primary key can be of this type.
    package var canBePrimaryKey: Bool {
        switch self {
        case .bool, .int, .int8, .int16, .int32, .int64, .string, .uuid, .objectId: true
        case .float, .double, .data, .date, .decimal128: false
        }
    }

    /// Whether a property of this type can be indexed.
    package var canBeIndexed: Bool { canBePrimaryKey || self == .date }

    /// The value of a new property in existing objects, as a literal; nil if it is no constant, or has no literal.
    package var zero: String? {
        switch self {
        case .bool: "false"
        case .int, .int8, .int16, .int32, .int64, .float, .double, .decimal128: "0"
        case .string: "\"\""
        case .data, .date, .uuid, .objectId: nil
        }
    }
}
