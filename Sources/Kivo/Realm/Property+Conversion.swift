/// The storage of values whose types are the program's, in schemas of classes that the program declares.
extension Property {
    /// The type of the value, or of the elements, also of those that can be nil.
    private var elementType: Any.Type {
        var type = info.wrapper.storedValueType
        while let holding = type as? any HoldingType.Type { type = holding.heldType }
        return type
    }

    /// Whether code of the program converts between stored values and its own: a mapped type. Not every stored value has one.
    package var isMapped: Bool { storedCases == nil && elementType is any FailableCustomPersistable.Type }

    /// The values that are stored for the cases of an enum; nil for other types.
    package var storedCases: [Any]? {
        (elementType as? any PersistableEnum.Type).map { $0.allStoredValues }
    }
}

extension PersistableEnum {
    fileprivate static var allStoredValues: [Any] { allCases.map(\.rawValue) }
}

/// A type whose values hold others.
private protocol HoldingType {
    static var heldType: Any.Type { get }
}

extension Optional: HoldingType {
    fileprivate static var heldType: Any.Type { Wrapped.self }
}

extension List: HoldingType {
    fileprivate static var heldType: Any.Type { Element.self }
}

extension MutableSet: HoldingType {
    fileprivate static var heldType: Any.Type { Element.self }
}

extension Map: HoldingType {
    fileprivate static var heldType: Any.Type { Value.self }
}
