/// What a class says of one of its properties. A value that never changes.
public struct Property: Sendable, Equatable, CustomStringConvertible {
    let info: PropertyInfo
    private let target: String?

    init(_ info: PropertyInfo, target: String?) {
        self.info = info
        self.target = target
    }

    /// The name in the class.
    public var name: String { info.name }

    /// The name under which the values are stored: ``name``, unless ``ObjectBase/propertiesMapping()`` says otherwise.
    public var columnName: String { info.columnName }

    /// What the property holds, or its elements. Enums and mapped types are what they are stored as.
    public var type: PropertyType { PropertyType(info.type) }

    /// Whether the property is a ``List``.
    public var isArray: Bool { info.type.collection == .list }

    /// Whether the property is a ``MutableSet``.
    public var isSet: Bool { info.type.collection == .set }

    /// Whether the property is a ``Map``.
    public var isMap: Bool { info.type.collection == .map }

    /// Whether rows can be found by the value: the property is indexed, or the primary key.
    public var isIndexed: Bool { info.isIndexed || info.isPrimaryKey }

    /// Whether the value, or an element, can be nil.
    public var isOptional: Bool { info.type.isOptional }

    /// The class of the objects that the property links to, or that link here; nil for plain values.
    public var objectClassName: String? { target }

    /// Whether two properties are declared alike.
    public static func == (a: Property, b: Property) -> Bool {
        a.name == b.name && a.columnName == b.columnName && a.info.type.scalar == b.info.type.scalar
            && a.info.type.collection == b.info.type.collection && a.isOptional == b.isOptional
            && a.isIndexed == b.isIndexed && a.info.isPrimaryKey == b.info.isPrimaryKey
            && a.target == b.target
            && a.info.type.originProperty == b.info.type.originProperty
    }

    /// The property in words, one to a line.
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
