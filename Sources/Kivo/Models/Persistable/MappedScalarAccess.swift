import KivoEngine

extension _CustomPersistable where PersistedType: _Scalar {
    @inlinable public static var _layout: _Layout<Self> { _Layout(MappedScalarAccess<Self>.self) }
    public static var _access: _Access<Self> { _Access(MappedScalarAccess<Self>.self) }
    public static var _mappedDefault: Self? { _mapped(PersistedType._layout.type.makeDefault()) }

    /// Hashes the stored value.
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }
}

/// The tables of a mapped type that is stored as a scalar: those of the stored type, with a conversion.
@usableFromInline
enum MappedScalarAccess<Mapped: _CustomPersistable>: MappedAccess where Mapped.PersistedType: _Scalar {
    @usableFromInline typealias Accessed = Mapped
    @usableFromInline typealias Stored = Mapped.PersistedType

    @inlinable static var isScalar: Bool { true }

    @inlinable @inline(__always)
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Mapped {
        Mapped.mappedOrTrap(Stored._layout.type.load(column, slot))
    }
    @inlinable @inline(__always)
    static func store(_ value: Mapped, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        Stored._layout.type.store(value.persistableValue, column, slot)
    }
    @inlinable @inline(__always)
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Mapped? {
        Stored._layout.type.loadOptional(column, slot).flatMap(Mapped._mapped)
    }
    @inlinable @inline(__always)
    static func storeOptional(_ value: Mapped?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        Stored._layout.type.storeOptional(value?.persistableValue, column, slot)
    }

    @inlinable
    static func assign(_ value: Mapped, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<Stored>.assign(value.persistableValue, owner, column)
    }
    @inlinable
    static func assignOptional(_ value: Mapped?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<Stored?>.assign(value?.persistableValue, owner, column)
    }
}

extension MappedScalarAccess: ValueAccess {
    static func describe(_ type: inout DeclaredType) { describeElement(&type) }

    static func get(_ owner: ObjectBase, _ property: Int) -> Mapped {
        Mapped.mappedOrTrap(Stored._access.type.get(owner, property))
    }
    static func set(_ value: Mapped, _ owner: ObjectBase, _ property: Int) {
        Stored._access.type.set(value.persistableValue, owner, property)
    }
    static func promote(_ value: inout Mapped?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) {
        // Without a value the stored type's default is stored, even if it represents no value of the mapped type.
        var promoted = value.map(\.persistableValue)
        value = nil
        Stored._access.type.promote(&promoted, owner, property, adder)
    }
    static func fromAny(_ any: Any?) -> Mapped? {
        guard let any = flatten(any) else { return nil }
        return fromAnyInOptional(any)
    }

    static func element(_ cell: Cell, _ context: CollectionContext) -> Mapped {
        Mapped.mappedOrTrap(Stored.element(of: cell, context))
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Mapped {
        Mapped.mappedOrTrap(Stored.element(at: address, context))
    }

    static func promoteOptional(
        _ value: Mapped?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) { Stored._access.type.promoteOptional(value?.persistableValue, owner, property, adder) }
    static func fromAnyInOptional(_ any: Any) -> Mapped? {
        any as? Mapped ?? Stored._access.type.fromAny(any).flatMap(Mapped._mapped)
    }
    static func isUnknown(_ any: Any) -> Bool {
        Stored._access.type.isUnknown(any)
            || Stored._access.type.fromAny(any).map { Mapped._mapped($0) == nil } ?? false
    }
}

/// The parts of a mapped type's tables that are the same whether it is stored as a scalar or as an embedded object.
@usableFromInline
protocol MappedAccess: PropertyLayout where Accessed: _CustomPersistable {}

extension MappedAccess {
    @inlinable static var isPlain: Bool { false }
    @inlinable static var isConverted: Bool { true }

    @usableFromInline
    static func makeDefault() -> Accessed {
        if let value = Accessed._mappedDefault { return value }
        trap(
            """
            A property of type '\(Accessed.self)' has no value, and the default of '\(Accessed.PersistedType.self)' means \
            none: declare the property with a default, or optional.
            """)
    }
}

extension ValueAccess where Self: MappedAccess {
    private static var stored: any ValueAccess<Accessed.PersistedType._Base>.Type {
        Accessed.PersistedType._access.type
    }

    static func record(_ owner: ObjectBase, _ property: Int) -> Accessed {
        owner.kivoRecord(property)
        return Accessed.recorded(owner, property)
    }

    static var convertsElements: Bool { true }
    static var elementKind: ElementKind { stored.elementKind }
    static func describeElement(_ type: inout DeclaredType) {
        stored.describeElement(&type)
        type.isMapped = true
    }
    static func elementCell(_ element: Accessed, _ context: CollectionContext) -> Cell {
        element.persistableValue.cell(in: context)
    }

    static func getOptional(_ owner: ObjectBase, _ property: Int) -> Accessed? {
        Accessed.PersistedType.narrowed(stored.getOptional(owner, property)).flatMap(Accessed._mapped)
    }
    static func setOptional(_ value: Accessed?, _ owner: ObjectBase, _ property: Int) {
        stored.setOptional(Accessed.PersistedType.widened(value?.persistableValue), owner, property)
    }
    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> Accessed? {
        owner.kivoRecord(property)
        return nil
    }
    static var optionalElementKind: ElementKind { stored.optionalElementKind }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> Accessed? {
        Accessed.PersistedType.narrowed(stored.optionalElement(cell, context)).flatMap(Accessed._mapped)
    }
    static func optionalCell(_ value: Accessed?, _ context: CollectionContext) -> Cell {
        stored.optionalCell(Accessed.PersistedType.widened(value?.persistableValue), context)
    }
}
