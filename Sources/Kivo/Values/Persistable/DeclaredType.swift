import KivoEngine

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
        return ElementKind(scalar.columnKind, isOptional: isOptional)
    }
}

extension DeclaredType: CustomStringConvertible {
    /// The type as it is declared.
    public var description: String {
        let element = (target?.className() ?? scalar?.name ?? "?") + (isOptional ? "?" : "")
        switch collection {
        case .none: return element
        case .list: return "List<\(element)>"
        case .set: return "MutableSet<\(element)>"
        case .map: return "Map<String, \(element)>"
        case .linkingObjects: return "LinkingObjects<\(element)>"
        }
    }
}
