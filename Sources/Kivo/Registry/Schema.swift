/// The classes that a realm holds. A value that never changes.
public struct Schema: Sendable, Equatable, CustomStringConvertible {
    /// The classes, in ascending order of their names.
    public let objectSchema: [ObjectSchema]

    init(_ classes: [ObjectSchema]) { objectSchema = classes.sorted { $0.className < $1.className } }

    /// The class of a name, or nil.
    public subscript(className: String) -> ObjectSchema? { objectSchema.first { $0.className == className } }

    /// The classes in words, one after the other.
    public var description: String {
        let lines = objectSchema.map { "\t" + $0.description.replacingLineBreaks("\n\t") + "\n" }
        return "Schema {\n\(lines.joined())}"
    }
}
