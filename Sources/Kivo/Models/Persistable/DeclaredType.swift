import KivoEngine

/// The type of a property as its class declares it, or of the elements of a collection.
struct DeclaredType: Sendable {
    /// The type of scalar values or elements; nil for objects.
    var scalar: ScalarType?
    /// A Boolean value that indicates whether values (or the elements of a collection) can be nil.
    var isOptional = false
    /// The kind of collection, or `none`.
    var collection = CollectionKind.none
    /// A Boolean value that indicates whether values (or elements) are of a type of the app's; see ``CustomPersistable``. They
    /// are stored as the type that the other properties describe.
    var isMapped = false
    /// The class of linked objects.
    var target: ObjectBase.Type?
    /// Classes that a realm also needs if it has such a property.
    var companions: [ObjectBase.Type] = []
    /// The property of the target class that is followed backwards, for linking objects.
    var originProperty: String?

    init(_ scalar: ScalarType? = nil, isOptional: Bool = false) {
        self.scalar = scalar
        self.isOptional = isOptional
    }

    /// The layout of the elements of a collection of this type.
    var elementKind: ElementKind {
        guard let scalar else { return .link }
        return ElementKind(scalar.columnKind, isOptional: isOptional)
    }
}

extension DeclaredType: CustomStringConvertible {
    /// The type as it is declared.
    var description: String {
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

extension PropertyType {
    /// Creates the type of a declaration.
    init(_ type: DeclaredType) {
        self = type.collection == .linkingObjects ? .linkingObjects : type.scalar?.row.propertyType ?? .object
    }
}
