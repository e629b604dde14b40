/// What a class says of itself: its name and its properties. A value that never changes.
public struct ObjectSchema: Sendable, Equatable, CustomStringConvertible {
    private let info: ClassInfo

    /// The properties that are stored, in order of declaration; those of superclasses come first. Of a class that the program does
    /// not declare in the order of their names. ``LinkingObjects`` are found by name only.
    public var properties: [Property] { all.filter { $0.type != .linkingObjects } }
    /// The properties with those that are not stored.
    private let all: [Property]

    /// `target` returns the name of the class that a property links to.
    init(_ info: ClassInfo, _ target: (PropertyInfo) -> String?) {
        self.info = info
        all = info.properties.map { Property($0, target: target($0)) }
    }

    /// What a class that the program declares says of itself.
    init(_ info: ClassInfo) { self.init(info) { $0.type.target?.className() } }

    /// The name of the class in the realm.
    public var className: String { info.name }

    /// The class; ``DynamicObject`` if the program does not declare it.
    public var objectClass: AnyClass { (info.declared ?? info).type }

    /// Whether objects of the class are owned by others; see ``EmbeddedObject``.
    public var isEmbedded: Bool { info.isEmbedded }

    /// The property by whose value objects of the class are told apart, or nil.
    public var primaryKeyProperty: Property? { all.first { $0.info.isPrimaryKey } }

    /// The property of a name, or nil.
    public subscript(propertyName: String) -> Property? { all.first { $0.name == propertyName } }

    /// Whether two classes have one name and the same properties.
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.isEmbedded == b.isEmbedded && a.all == b.all
    }

    /// The class in words, one property after the other.
    public var description: String {
        let lines = all.map { "\t" + $0.description.replacingLineBreaks("\n\t") + "\n" }
        return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines.joined())}"
    }
}
