import KivoEngine

extension Optional: PropertyLayout, ValueLayout where Wrapped: _OptionalPersistable {
    @usableFromInline typealias Accessed = Wrapped?

    @inlinable static func makeDefault() -> Wrapped? { nil }
    @inlinable static var isPlain: Bool { true }
    @inlinable static var isScalar: Bool { Wrapped._layout.type.isScalar }
    @inlinable static var isConverted: Bool { Wrapped._layout.type.isConverted }
    @inlinable
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Wrapped? {
        Wrapped.narrowed(Wrapped._layout.type.loadOptional(column, slot))
    }
    @inlinable
    static func store(_ value: Wrapped?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        Wrapped._layout.type.storeOptional(Wrapped.widened(value), column, slot)
    }
    @inlinable
    static func assign(_ value: Wrapped?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Wrapped._layout.type.assignOptional(Wrapped.widened(value), owner, column)
    }
    @usableFromInline
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Wrapped?? {
        trap("not optional")
    }
    @usableFromInline
    static func storeOptional(_ value: Wrapped??, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        false
    }
}

extension Optional: ValueAccess, NoOptionalAccess where Wrapped: _OptionalPersistable {
    static func describe(_ type: inout DeclaredType) {
        type.isOptional = true
        Wrapped._access.type.describeElement(&type)
    }
    static func get(_ owner: ObjectBase, _ property: Int) -> Wrapped? {
        Wrapped.narrowed(Wrapped._access.type.getOptional(owner, property))
    }
    static func set(_ value: Wrapped?, _ owner: ObjectBase, _ property: Int) {
        Wrapped._access.type.setOptional(Wrapped.widened(value), owner, property)
    }
    static func promote(
        _ value: inout Wrapped??, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) {
        Wrapped._access.type.promoteOptional(Wrapped.widened(value ?? nil), owner, property, adder)
        value = nil
    }
    static func linkedObject(_ value: Wrapped??) -> ObjectBase? {
        if Wrapped._layout.type.isScalar { return nil }
        guard let value = value ?? nil else { return nil }
        return Wrapped._access.type.linkedObjectInOptional(Wrapped.widened(value))
    }
    static func record(_ owner: ObjectBase, _ property: Int) -> Wrapped? {
        Wrapped.narrowed(Wrapped._access.type.recordOptional(owner, property))
    }
    static func toAny(_ value: Wrapped?) -> Any? { value }
    static func fromAny(_ any: Any?) -> Wrapped?? {
        if let any, type(of: any) == Wrapped.self { return any as? Wrapped }
        guard let any = nonNull(any) else { return .some(nil) }
        if let value = Wrapped.narrowed(Wrapped._access.type.fromAnyInOptional(any)) { return value }
        return Wrapped._access.type.isUnknown(any) ? .some(nil) : nil
    }

    static var convertsElements: Bool { Wrapped._access.type.convertsElements }
    static var elementKind: ElementKind { Wrapped._access.type.optionalElementKind }
    static func describeElement(_ type: inout DeclaredType) { describe(&type) }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Wrapped? {
        Wrapped.narrowed(Wrapped._access.type.optionalElement(cell, context))
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Wrapped? {
        element(elementKind.load(address), context)
    }
    static func elementCell(_ element: Wrapped?, _ context: CollectionContext) -> Cell {
        Wrapped._access.type.optionalCell(Wrapped.widened(element), context)
    }
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _OptionalPersistable {
    public typealias _Base = Wrapped?
    public static var _access: _Access<Wrapped?> { _Access(Wrapped?.self) }
}

extension Optional: RealmCollectionValue where Wrapped: _OptionalPersistable {}

extension Optional: _Persistable where Wrapped: _OptionalPersistable {
    @inlinable public static var _layout: _Layout<Wrapped?> { _Layout(Wrapped?.self) }
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
