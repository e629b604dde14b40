/// The declaration of a property of a class. A value that never changes.
public struct Property: Sendable, Equatable, CustomStringConvertible {
    let info: PropertyInfo
    private let target: String?

    init(_ info: PropertyInfo, target: String?) {
        self.info = info
        self.target = target
    }

    /// The name in the class.
    public var name: String { info.name }

    /// The name under which the values are stored: ``name``, unless ``ObjectBase/propertiesMapping()`` names another.
    public var columnName: String { info.columnName }

    /// The type of the property, or of its elements. Enums and mapped types have the type as which they are stored.
    public var type: PropertyType { PropertyType(info.type) }

    /// A Boolean value that indicates whether the property is a ``List``.
    public var isArray: Bool { info.type.collection == .list }

    /// A Boolean value that indicates whether the property is a ``MutableSet``.
    public var isSet: Bool { info.type.collection == .set }

    /// A Boolean value that indicates whether the property is a ``Map``.
    public var isMap: Bool { info.type.collection == .map }

    /// A Boolean value that indicates whether the property is indexed or the primary key.
    public var isIndexed: Bool { info.isIndexed || info.isPrimaryKey }

    /// A Boolean value that indicates whether the value, or an element, can be nil.
    public var isOptional: Bool { info.type.isOptional }

    /// The class of the objects that the property links to, or that link here; nil for plain values.
    public var objectClassName: String? { target }

    /// Returns whether two properties have equal declarations.
    public static func == (a: Property, b: Property) -> Bool {
        a.name == b.name && a.columnName == b.columnName && a.info.type.scalar == b.info.type.scalar
            && a.info.type.collection == b.info.type.collection && a.isOptional == b.isOptional
            && a.isIndexed == b.isIndexed && a.info.isPrimaryKey == b.info.isPrimaryKey
            && a.target == b.target
            && a.info.type.originProperty == b.info.type.originProperty
    }

    /// A textual description of the property, with one attribute per line.
    public var description: String {
        var lines = ["type = \(type);"]
        if let target {
            lines.append("objectClassName = \(target);")
            lines.append("linkOriginPropertyName = \(info.type.originProperty ?? "(null)");")
        }
        lines += [
            "columnName = \(columnName);", "indexed = \(isIndexed ? "YES" : "NO");",
            "isPrimary = \(info.isPrimaryKey ? "YES" : "NO");", "array = \(isArray ? "YES" : "NO");",
            "set = \(isSet ? "YES" : "NO");", "dictionary = \(isMap ? "YES" : "NO");",
            "optional = \(isOptional ? "YES" : "NO");",
        ]
        return "\(name) {\n\(lines.map { "\t\($0)\n" }.joined())}"
    }
}
