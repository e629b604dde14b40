import Foundation
import KivoEngine

/// The scalar types that a column can hold. The raw values are stored in files.
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

    /// The types, in the order of their raw values.
    package static let all = (UInt8.min ... .max).compactMap(ScalarType.init(rawValue:))
}

/// The table of scalar types.
extension ScalarType {
    /// The declaration of a property for which a type is suitable, beyond a plain one.
    enum Indexing {
        case none, indexed, primaryKey
    }

    /// The representation of numbers, and of what is computed like them, in a word.
    enum WordNumber {
        /// An integer, or a boolean.
        case integer
        /// The bits of a `Double`.
        case floatingPoint
    }

    /// The description of one type.
    struct Row {
        /// The name in Swift, and the module that declares it.
        let name: String, module: String
        /// The type in Swift; nil for values of any type, which are no scalars there.
        let swiftType: (any Scalar.Type)?
        /// The layout of the values in a column.
        let columnKind: ColumnKind
        /// The tag of such a value in an any column; nil for values of any type themselves.
        let tag: AnyTag?
        /// The name of such a value's type in JSON, beside a value of any type. Nil for types whose values become those of another
        /// type there.
        let jsonName: String?
        /// The public type of such a property.
        let propertyType: PropertyType
        let indexing: Indexing
        let number: WordNumber?

        @inline(__always)
        init(
            _ name: String, in module: String, _ swiftType: (any Scalar.Type)?, _ columnKind: ColumnKind,
            _ tag: AnyTag?, json jsonName: String?, _ propertyType: PropertyType,
            _ indexing: Indexing = .none, _ number: WordNumber? = nil
        ) {
            (self.name, self.module, self.swiftType) = (name, module, swiftType)
            (self.columnKind, self.tag, self.jsonName) = (columnKind, tag, jsonName)
            (self.propertyType, self.indexing, self.number) = (propertyType, indexing, number)
        }
    }

    /// The description of the type. Always inlined: then a caller that reads one column of the table computes only that one.
    @inline(__always)
    var row: Row {
        switch self {
        case .bool:
            Row("Bool", in: "Swift", Bool.self, .word, .bool, json: "bool", .bool, .primaryKey, .integer)
        case .int8:
            Row("Int8", in: "Swift", Int8.self, .word, .int, json: nil, .int, .primaryKey, .integer)
        case .int16:
            Row("Int16", in: "Swift", Int16.self, .word, .int, json: nil, .int, .primaryKey, .integer)
        case .int32:
            Row("Int32", in: "Swift", Int32.self, .word, .int, json: nil, .int, .primaryKey, .integer)
        case .int64:
            Row("Int64", in: "Swift", Int64.self, .word, .int, json: nil, .int, .primaryKey, .integer)
        case .int:
            Row("Int", in: "Swift", Int.self, .word, .int, json: "int", .int, .primaryKey, .integer)
        case .float:
            Row("Float", in: "Swift", Float.self, .word, .float, json: "float", .float, .none, .floatingPoint)
        case .double:
            Row(
                "Double", in: "Swift", Double.self, .word, .double, json: "double", .double, .none,
                .floatingPoint)
        case .string:
            Row("String", in: "Swift", String.self, .string, .string, json: "string", .string, .primaryKey)
        case .data:
            Row("Data", in: "Foundation", Data.self, .bytes, .bytes, json: "data", .data)
        case .date:
            Row(
                "Date", in: "Foundation", Date.self, .word, .date, json: "date", .date, .indexed,
                .floatingPoint)
        case .uuid:
            Row("UUID", in: "Foundation", UUID.self, .wide, .uuid, json: "uuid", .UUID, .primaryKey)
        case .objectId:
            Row(
                "ObjectId", in: "Kivo", ObjectId.self, .wide, .objectId, json: "objectId", .objectId,
                .primaryKey)
        case .decimal128:
            Row(
                "Decimal128", in: "Kivo", Decimal128.self, .wide, .decimal128, json: "decimal128",
                .decimal128)
        case .any:
            Row("AnyRealmValue", in: "Kivo", nil, .any, nil, json: nil, .any, .indexed)
        }
    }
}

extension ScalarType {
    /// The name of the type in Swift.
    package var name: String { row.name }

    /// The module that declares the type in Swift.
    package var module: String { row.module }

    /// Whether the type is an integer of a fixed width.
    var isNarrowInteger: Bool {
        switch self {
        case .int8, .int16, .int32, .int64: true
        default: false
        }
    }

    /// The Swift type of the values in dynamic access.
    var swiftType: (any Scalar.Type)? { row.swiftType }

    /// The layout of the values in a column.
    package var columnKind: ColumnKind { row.columnKind }

    /// The tag of such a value in an any column; nil for values of any type themselves.
    package var tag: AnyTag? { row.tag }

    /// The name of such a value's type in JSON, beside a value of any type; nil if its values become those of another type there.
    package var jsonName: String? { row.jsonName }

    /// Whether a primary key can be of this type.
    package var canBePrimaryKey: Bool { row.indexing == .primaryKey }

    /// Whether a property of this type can be indexed.
    package var canBeIndexed: Bool { row.indexing != .none }

    /// Whether words of this type are the bits of a `Double`.
    var isFloatingPoint: Bool { row.number == .floatingPoint }

    /// Whether words of this type are integers, booleans included.
    var isInteger: Bool { row.number == .integer }

    /// Returns the type with a name in Swift, or nil if there is none.
    package init?(name: String) {
        guard let type = Self.all.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// Returns the type with a name in JSON, or nil if there is none.
    package init?(jsonName: String) {
        guard let type = Self.all.first(where: { $0.jsonName == jsonName }) else { return nil }
        self = type
    }

    /// Returns the type of the values with a tag in an any column; nil for null and for links.
    package init?(_ tag: AnyTag) {
        guard let type = Self.byTag[tag] else { return nil }
        self = type
    }

    private static let byTag = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            type.jsonName == nil ? nil : type.tag.map { ($0, type) }
        })
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

    /// Creates the kind of a stored property.
    init(_ kind: TableProperty.Kind) {
        switch kind {
        case .value: self = .none
        case .list: self = .list
        case .set: self = .set
        case .map: self = .map
        }
    }
}
