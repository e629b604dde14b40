import KivoEngine

/// The scalar types that a column can hold.
public enum ScalarType: UInt8, Sendable {
    case bool = 1, int8, int16, int32, int64, int, float, double, string, data, date, uuid, objectId,
        decimal128

    /// How the values are laid out in a column.
    var columnKind: ColumnKind {
        switch self {
        case .string: .string
        case .data: .bytes
        case .uuid, .objectId, .decimal128: .wide
        default: .word
        }
    }

    /// Whether words of this type are the bits of a `Double`.
    var isFloatingPoint: Bool { self == .float || self == .double || self == .date }

    /// Whether words of this type are integers, booleans included.
    var isInteger: Bool { rawValue <= ScalarType.int.rawValue }
}

/// What kind of collection a property is.
public enum CollectionKind: UInt8, Sendable {
    case none, list, set, map, linkingObjects
}

/// The type of a property, as the registry sees it.
public struct PropertyType: Sendable {
    /// The type of scalar values or elements; nil for objects.
    public var scalar: ScalarType?
    /// Whether values (or the elements of a collection) can be nil.
    public var isOptional = false
    public var collection = CollectionKind.none
    /// The class of linked objects.
    public var target: ObjectBase.Type?
    /// For linking objects, the property of the target class that is followed backwards.
    public var originProperty: String?

    /// The layout of the elements of a collection of this type.
    var elementKind: ElementKind {
        guard let scalar else { return .link }
        switch scalar.columnKind {
        case .string: return .string
        case .bytes: return .bytes
        case .wide: return isOptional ? .optionalWide : .wide
        default: return isOptional ? .optionalWord : .word
        }
    }
}
