/// The classes that a realm holds. A value that never changes.
public struct Schema: Sendable, Equatable, CustomStringConvertible {
    /// The classes, in ascending order of their names.
    public let objectSchema: [ObjectSchema]
    /// Whether the realm adds classes of the program when they are used.
    private let isOpen: Bool

    init(_ classes: [ObjectSchema], isOpen: Bool = false) {
        objectSchema = classes.sorted { $0.className < $1.className }
        self.isOpen = isOpen
    }

    /// Returns the class with a name, or nil. Without `objectTypes`, the class can be one of the program's that the realm does
    /// not hold yet, but would add on first use.
    public subscript(className: String) -> ObjectSchema? {
        if let known = objectSchema.first(where: { $0.className == className }) { return known }
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
