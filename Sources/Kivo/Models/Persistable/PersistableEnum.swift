import KivoEngine

/// An enum for ``Persisted`` properties, which is stored as its raw value.
///
///     enum Mood: String, PersistableEnum { case calm, barking }
///
/// The default of a property without one is the first case. A stored raw value that is no longer a case reads as nil in an
/// optional property, and in a collection of optionals. Elsewhere it reads as the first case. Assigning such a raw value by name
/// to an optional property sets that to nil.
public protocol PersistableEnum: _Scalar, RealmOptionalType, RawRepresentable, CaseIterable, Comparable,
    SortableType
where RawValue: _Scalar & SortableType, PersistedType == RawValue {
    /// The type of the stored values, which are the raw values.
    associatedtype PersistedType = RawValue
}

extension PersistableEnum {
    /// Returns whether a case sorts before another, by their raw values.
    public static func < (left: Self, right: Self) -> Bool {
        declared.scalar!.order.compare(left.cell(in: .unmanaged), right.cell(in: .unmanaged)) < 0
    }
}

/// The older name of ``PersistableEnum``.
public typealias RealmEnum = PersistableEnum

extension PersistableEnum {
    @inlinable public static var _layout: _Layout<Self> { _Layout(EnumAccess<Self>.self) }
    public static var _access: _Access<Self> { _Access(EnumAccess<Self>.self) }
}

/// The tables of an enum: those of its raw value, with a conversion.
@usableFromInline
enum EnumAccess<Case: PersistableEnum>: PropertyLayout {
    @usableFromInline typealias Accessed = Case
    @usableFromInline typealias RawValue = Case.RawValue

    @inlinable static var isPlain: Bool { false }
    @inlinable static var isScalar: Bool { true }
    @inlinable static var isConverted: Bool { true }

    @usableFromInline
    static func makeDefault() -> Case {
        guard let first = Case.allCases.first else {
            trap("The enum '\(Case.self)' has no case to start with.")
        }
        return first
    }

    @inlinable
    static func assign(_ value: Case, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<RawValue>.assign(value.rawValue, owner, column)
    }
    @inlinable
    static func assignOptional(_ value: Case?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<RawValue?>.assign(value?.rawValue, owner, column)
    }

    @usableFromInline
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Case {
        Case(rawValue: RawValue._layout.type.load(column, slot)) ?? makeDefault()
    }
    @usableFromInline
    static func store(_ value: Case, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        RawValue._layout.type.store(value.rawValue, column, slot)
    }
    @usableFromInline
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Case? {
        RawValue._layout.type.loadOptional(column, slot).flatMap { Case(rawValue: $0) }
    }
    @usableFromInline
    static func storeOptional(_ value: Case?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        RawValue._layout.type.storeOptional(value?.rawValue, column, slot)
    }
}

extension EnumAccess: ValueAccess {
    private static var raw: any ValueAccess<RawValue>.Type { RawValue._access.type }

    static func describe(_ type: inout DeclaredType) {
        raw.describe(&type)
        type.isEnum = true
    }

    static func get(_ owner: ObjectBase, _ property: Int) -> Case {
        Case(rawValue: raw.get(owner, property)) ?? makeDefault()
    }
    static func set(_ value: Case, _ owner: ObjectBase, _ property: Int) {
        raw.set(value.rawValue, owner, property)
    }
    static func promote(_ value: inout Case?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) {
        var stored: RawValue? = (value ?? makeDefault()).rawValue
        value = nil
        raw.promote(&stored, owner, property, adder)
    }
    static func record(_ owner: ObjectBase, _ property: Int) -> Case {
        owner.kivoRecord(property)
        return makeDefault()
    }
    static func fromAny(_ any: Any?) -> Case? {
        guard let any = flatten(any) else { return nil }
        return fromAnyInOptional(any)
    }

    static var convertsElements: Bool { true }
    static var elementKind: ElementKind { raw.elementKind }
    static func describeElement(_ type: inout DeclaredType) { describe(&type) }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Case {
        Case(rawValue: raw.element(cell, context)) ?? makeDefault()
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Case {
        Case(rawValue: raw.loadElement(address, context)) ?? makeDefault()
    }
    static func elementCell(_ element: Case, _ context: CollectionContext) -> Cell {
        raw.elementCell(element.rawValue, context)
    }

    static func getOptional(_ owner: ObjectBase, _ property: Int) -> Case? {
        raw.getOptional(owner, property).flatMap { Case(rawValue: $0) }
    }
    static func setOptional(_ value: Case?, _ owner: ObjectBase, _ property: Int) {
        raw.setOptional(value?.rawValue, owner, property)
    }
    static func promoteOptional(
        _ value: Case?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) { raw.promoteOptional(value?.rawValue, owner, property, adder) }
    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> Case? {
        owner.kivoRecord(property)
        return nil
    }
    static func fromAnyInOptional(_ any: Any) -> Case? {
        any as? Case ?? raw.fromAnyInOptional(any).flatMap { Case(rawValue: $0) }
    }
    static func isUnknown(_ any: Any) -> Bool {
        raw.fromAnyInOptional(any).map { Case(rawValue: $0) == nil } ?? false
    }
    static var optionalElementKind: ElementKind { raw.optionalElementKind }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> Case? {
        raw.optionalElement(cell, context).flatMap { Case(rawValue: $0) }
    }
    static func optionalCell(_ value: Case?, _ context: CollectionContext) -> Cell {
        raw.optionalCell(value?.rawValue, context)
    }
}
