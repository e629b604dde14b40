import KivoEngine

/// A type that a property cannot have.
protocol NoPropertyAccess: ValueAccess {}

extension NoPropertyAccess {
    static func describe(_ type: inout DeclaredType) { describeElement(&type) }
    static func get(_ owner: ObjectBase, _ property: Int) -> Accessed { trap("not a property") }
    static func set(_ value: Accessed, _ owner: ObjectBase, _ property: Int) { trap("not a property") }
    static func promote(_ value: inout Accessed?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder)
    {
        trap("not a property")
    }
    static func record(_ owner: ObjectBase, _ property: Int) -> Accessed { trap("not a property") }
    static func fromAny(_ any: Any?) -> Accessed? { nil }
}

/// A type that elements of a collection cannot have.
protocol NoElementAccess: ValueAccess {}

extension NoElementAccess {
    static var elementKind: ElementKind { trap("not an element") }
    static func describeElement(_ type: inout DeclaredType) { trap("not an element") }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Accessed { trap("not an element") }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Accessed {
        trap("not an element")
    }
    static func elementCell(_ element: Accessed, _ context: CollectionContext) -> Cell {
        trap("not an element")
    }
    static func isSameElement(_ element: Accessed, _ other: Accessed) -> Bool { trap("not an element") }
}

/// A type that an optional property or element cannot have.
protocol NoOptionalAccess: ValueAccess {}

extension NoOptionalAccess {
    static func getOptional(_ owner: ObjectBase, _ property: Int) -> Accessed? { trap("not optional") }
    static func setOptional(_ value: Accessed?, _ owner: ObjectBase, _ property: Int) { trap("not optional") }
    static func promoteOptional(
        _ value: Accessed?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) { trap("not optional") }
    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> Accessed? { trap("not optional") }
    static func fromAnyInOptional(_ any: Any) -> Accessed? { nil }
    static var optionalElementKind: ElementKind { trap("not optional") }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> Accessed? {
        trap("not optional")
    }
    static func optionalCell(_ value: Accessed?, _ context: CollectionContext) -> Cell {
        trap("not optional")
    }
}
