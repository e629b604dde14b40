import KivoEngine

extension _CustomPersistable where PersistedType: EmbeddedObject {
    @inlinable public static var _layout: _Layout<Self> { _Layout(MappedObjectAccess<Self>.self) }
    public static var _access: _Access<Self> { _Access(MappedObjectAccess<Self>.self) }
    public static var _mappedDefault: Self? { _mapped(PersistedType()) }

    /// Hashes the scalar properties of the stored object.
    public func hash(into hasher: inout Hasher) {
        let object = persistableValue
        for property in object.kivoInfo.storedProperties where !property.isLinking {
            (object.kivoValue(property) as? AnyHashable)?.hash(into: &hasher)
        }
    }
}

/// The tables of a mapped type that is stored as an embedded object: a link to a new object for each value.
@usableFromInline
enum MappedObjectAccess<Mapped: _CustomPersistable>: MappedAccess, ReferenceLayout
where Mapped.PersistedType: EmbeddedObject {
    @usableFromInline typealias Accessed = Mapped
    @usableFromInline typealias Stored = Mapped.PersistedType

    @inlinable
    static func assign(_ value: Mapped, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<Mapped>.write(value, owner, PersistedColumn.index(column))
    }
    @inlinable
    static func assignOptional(_ value: Mapped?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<Mapped?>.write(value, owner, PersistedColumn.index(column))
    }
}

extension MappedObjectAccess: ValueAccess {
    static func describe(_ type: inout DeclaredType) {
        // The link can be nil, which reads as the default.
        type.isOptional = true
        describeElement(&type)
    }

    static func get(_ owner: ObjectBase, _ property: Int) -> Mapped {
        guard let object = Stored.narrowed(Stored._access.type.getOptional(owner, property)) else {
            return makeDefault()
        }
        return Mapped.mappedOrTrap(object)
    }
    static func set(_ value: Mapped, _ owner: ObjectBase, _ property: Int) {
        Stored._access.type.setOptional(value.persistableValue, owner, property)
    }
    static func promote(_ value: inout Mapped?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) {
        trap("a link is not a scalar")
    }
    /// Returns the object that is added with the owner. A property without a value has the object's default.
    static func linkedObject(_ value: Mapped?) -> ObjectBase? { value?.persistableValue ?? Stored() }
    /// Converts `any`; nil represents the default, as on reading.
    static func fromAny(_ any: Any?) -> Mapped? {
        guard let any = nonNull(any) else { return makeDefault() }
        return fromAnyInOptional(any)
    }

    static func elementFromAny(_ any: Any?) -> Mapped? {
        guard let any = nonNull(any) else { return nil }
        return fromAnyInOptional(any)
    }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Mapped {
        cell.linkKey == 0 ? makeDefault() : Mapped.mappedOrTrap(Stored.element(of: cell, context))
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Mapped {
        element(.link(address.load(as: ObjectKey.self)), context)
    }

    static func promoteOptional(
        _ value: Mapped?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) { trap("a link is not a scalar") }
    static func linkedObjectInOptional(_ value: Mapped) -> ObjectBase? { value.persistableValue }
    static func fromAnyInOptional(_ any: Any) -> Mapped? {
        any as? Mapped
            ?? Stored.narrowed(Stored._access.type.fromAnyInOptional(any)).flatMap(Mapped._mapped)
    }
}
