/// The type of a property, or of the elements of a property that is a collection. See ``Property/type``.
public enum PropertyType: Int, Sendable, CustomStringConvertible {
    /// Integers: `Int`, `Int8`, `Int16`, `Int32`, `Int64`.
    case int = 0
    /// `Bool`.
    case bool = 1
    /// `String`.
    case string = 2
    /// `Data`.
    case data = 3
    /// `Date`.
    case date = 4
    /// `Float`.
    case float = 5
    /// `Double`.
    case double = 6
    /// An object of the class that ``Property/objectClassName`` names.
    case object = 7
    /// Objects that link to this one: ``LinkingObjects``.
    case linkingObjects = 8
    /// A value of any of the other types.
    case any = 9
    /// ``ObjectId``.
    case objectId = 10
    /// ``Decimal128``.
    case decimal128 = 11
    // The name in the established API.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `UUID`.
    case UUID = 12

    /// The name of the type.
    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }
}
