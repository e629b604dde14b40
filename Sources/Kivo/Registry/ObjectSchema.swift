/// The declaration of a class: its name and its properties. A value that never changes.
public struct ObjectSchema: Sendable, Equatable, CustomStringConvertible {
    /// The source of the description.
    private enum Source {
        /// A class that was inspected, with its stored properties and those that are not stored.
        case inspected(ClassInfo, [Property])
        /// A class of the program. It is inspected, which calls its initializer, when its properties are needed.
        case declared(ObjectBase.Type)
    }

    private let source: Source

    /// The stored properties, in order of declaration, those of superclasses first. For a class that the program does not declare
    /// they are in order of their names. ``LinkingObjects`` are found by name only.
    public var properties: [Property] { all.filter { $0.type != .linkingObjects } }

    /// The stored properties and those that are not stored.
    private var all: [Property] {
        switch source {
        case .inspected(_, let properties): properties
        case .declared(let type): ObjectSchema(Registry.info(type)).all
        }
    }

    /// Creates the schema of a class. `target` returns the name of the class that a property links to.
    init(_ info: ClassInfo, _ target: (PropertyInfo) -> String?) {
        source = .inspected(info, info.properties.map { Property($0, target: target($0)) })
    }

    /// Creates the schema of a class that the program declares.
    init(_ info: ClassInfo) { self.init(info) { $0.type.target?.className() } }

    /// Creates the schema of a class that the program declares, without inspecting it.
    init(declared type: ObjectBase.Type) { source = .declared(type) }

    /// The name of the class in the realm.
    public var className: String {
        switch source {
        case .inspected(let info, _): info.name
        case .declared(let type): type.className()
        }
    }

    /// The class; ``DynamicObject`` if the program does not declare it.
    public var objectClass: AnyClass {
        switch source {
        case .inspected(let info, _): (info.declared ?? info).type
        case .declared(let type): type
        }
    }

    /// A Boolean value that indicates whether objects of the class are owned by others; see ``EmbeddedObject``.
    public var isEmbedded: Bool {
        switch source {
        case .inspected(let info, _): info.isEmbedded
        case .declared(let type): type is EmbeddedObject.Type
        }
    }

    /// The primary key, or nil if the class has none.
    public var primaryKeyProperty: Property? { all.first { $0.info.isPrimaryKey } }

    /// Returns the property with a name, or nil.
    public subscript(propertyName: String) -> Property? { all.first { $0.name == propertyName } }

    /// Returns whether two classes have the same name and the same properties.
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        if case .declared(let type) = a.source, case .declared(let other) = b.source, type == other {
            return true
        }
        return a.className == b.className && a.isEmbedded == b.isEmbedded && a.all == b.all
    }

    /// A textual description of the class, one property after the other.
    public var description: String {
        let lines = all.map { "\t" + $0.description.replacingLineBreaks("\n\t") + "\n" }
        return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines.joined())}"
    }
}

/// The classes that a realm holds. A value that never changes.
public struct Schema: Sendable, Equatable, CustomStringConvertible {
    /// The classes, in ascending order of their names. Without `objectTypes`, they include the classes of the program that the
    /// realm does not hold yet, but would add on first use.
    ///
    /// - Complexity: O(c log c) in the number c of classes.
    public var objectSchema: [ObjectSchema] {
        if !isOpen { return held }
        let names = Set(held.map(\.className))
        let others = Registry.typesOfDefaultSchema().map { ObjectSchema(declared: $0) }
        return Self.sorted(held + others.filter { !names.contains($0.className) })
    }

    /// The classes that the realm holds, without those that it would add on first use.
    let held: [ObjectSchema]
    /// Whether the realm adds classes of the program when they are used.
    private let isOpen: Bool

    init(_ classes: [ObjectSchema], isOpen: Bool = false) {
        held = Self.sorted(classes)
        self.isOpen = isOpen
    }

    private static func sorted(_ classes: [ObjectSchema]) -> [ObjectSchema] {
        classes.map { ($0.className, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Returns the class with a name, or nil. Without `objectTypes`, the class can be one of the program's that the realm does
    /// not hold yet, but would add on first use.
    public subscript(className: String) -> ObjectSchema? {
        if let known = held.first(where: { $0.className == className }) { return known }
        guard isOpen, let type = Registry.type(storedAs: className) else { return nil }
        return ObjectSchema(Registry.info(type))
    }

    public static func == (a: Self, b: Self) -> Bool { a.objectSchema == b.objectSchema }

    /// A textual description of the classes, one after the other.
    public var description: String {
        let lines = objectSchema.map { "\t" + $0.description.replacingLineBreaks("\n\t") + "\n" }
        return "Schema {\n\(lines.joined())}"
    }
}

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
