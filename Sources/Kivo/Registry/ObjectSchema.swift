/// The declaration of a class: its name and its properties. A value that never changes.
public struct ObjectSchema: Sendable, Equatable, CustomStringConvertible {
    private let info: ClassInfo

    /// The stored properties, in order of declaration, those of superclasses first. For a class that the program does not declare
    /// they are in order of their names. ``LinkingObjects`` are found by name only.
    public var properties: [Property] { all.filter { $0.type != .linkingObjects } }
    /// The stored properties and those that are not stored.
    private let all: [Property]

    /// Creates the schema of a class. `target` returns the name of the class that a property links to.
    init(_ info: ClassInfo, _ target: (PropertyInfo) -> String?) {
        self.info = info
        all = info.properties.map { Property($0, target: target($0)) }
    }

    /// Creates the schema of a class that the program declares.
    init(_ info: ClassInfo) { self.init(info) { $0.type.target?.className() } }

    /// The name of the class in the realm.
    public var className: String { info.name }

    /// The class; ``DynamicObject`` if the program does not declare it.
    public var objectClass: AnyClass { (info.declared ?? info).type }

    /// A Boolean value that indicates whether objects of the class are owned by others; see ``EmbeddedObject``.
    public var isEmbedded: Bool { info.isEmbedded }

    /// The primary key, or nil if the class has none.
    public var primaryKeyProperty: Property? { all.first { $0.info.isPrimaryKey } }

    /// Returns the property with a name, or nil.
    public subscript(propertyName: String) -> Property? { all.first { $0.name == propertyName } }

    /// Returns whether two classes have the same name and the same properties.
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.isEmbedded == b.isEmbedded && a.all == b.all
    }

    /// A textual description of the class, one property after the other.
    public var description: String {
        let lines = all.map { "\t" + $0.description.replacingLineBreaks("\n\t") + "\n" }
        return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines.joined())}"
    }
}
