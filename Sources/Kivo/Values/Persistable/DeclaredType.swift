import KivoEngine

/// The scalar types that a column can hold.
public enum ScalarType: UInt8, Sendable {
    /// `Bool`.
    case bool = 1
    /// `Int8`.
    case int8
    /// `Int16`.
    case int16
    /// `Int32`.
    case int32
    /// `Int64`.
    case int64
    /// `Int`.
    case int
    /// `Float`.
    case float
    /// `Double`.
    case double
    /// `String`.
    case string
    /// `Data`.
    case data
    /// `Date`.
    case date
    /// `UUID`.
    case uuid
    /// ``ObjectId``.
    case objectId
    /// ``Decimal128``.
    case decimal128
    /// ``AnyRealmValue``: a value of any of the other types, an object, a list or a dictionary.
    case any

    /// The layout of the values in a column.
    var columnKind: ColumnKind {
        switch self {
        case .string: .string
        case .data: .bytes
        case .uuid, .objectId, .decimal128: .wide
        case .any: .any
        case .bool, .int8, .int16, .int32, .int64, .int, .float, .double, .date: .word
        }
    }

    /// Whether a primary key can be of this type.
    var canBePrimaryKey: Bool {
        switch self {
        case .bool, .int, .int8, .int16, .int32, .int64, .string, .uuid, .objectId: true
        case .float, .double, .data, .date, .decimal128, .any: false
        }
    }

    /// Whether a property of this type can be indexed.
    var canBeIndexed: Bool { canBePrimaryKey || self == .date || self == .any }

    /// Whether words of this type are the bits of a `Double`.
    var isFloatingPoint: Bool { self == .float || self == .double || self == .date }

    /// Whether words of this type are integers, booleans included.
    var isInteger: Bool { rawValue <= ScalarType.int.rawValue }
}

/// The kind of a collection property.
public enum CollectionKind: UInt8, Sendable {
    /// A single value or link.
    case none
    /// A ``List``.
    case list
    /// A ``MutableSet``.
    case set
    /// A ``Map``.
    case map
    /// ``LinkingObjects``.
    case linkingObjects
}

/// The type of a property as its class declares it, or of the elements of a collection.
public struct DeclaredType: Sendable {
    /// The type of scalar values or elements; nil for objects.
    public var scalar: ScalarType?
    /// A Boolean value that indicates whether values (or the elements of a collection) can be nil.
    public var isOptional = false
    /// The kind of collection, or `none`.
    public var collection = CollectionKind.none
    /// A Boolean value that indicates whether values (or elements) are of a type of the app's; see ``CustomPersistable``. They
    /// are stored as the type that the other properties describe.
    public var isMapped = false
    /// The class of linked objects.
    public var target: ObjectBase.Type?
    /// Classes that a realm also needs if it has such a property.
    var companions: [ObjectBase.Type] = []
    /// The property of the target class that is followed backwards, for linking objects.
    public var originProperty: String?

    /// The layout of the elements of a collection of this type.
    var elementKind: ElementKind {
        guard let scalar else { return .link }
        switch scalar.columnKind {
        case .string: return .string
        case .bytes: return .bytes
        case .any: return .any
        case .wide: return isOptional ? .optionalWide : .wide
        default: return isOptional ? .optionalWord : .word
        }
    }
}
