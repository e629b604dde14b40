import Foundation
import KivoEngine

/// The access to a scalar that Kivo declares, which is derived from its layout.
protocol ScalarAccess: Scalar, PropertyLayout, ValueAccess, _Scalar {}

extension ScalarAccess {
    static func describe(_ type: inout DeclaredType) { type.scalar = scalarType }

    static func get(_ owner: ObjectBase, _ property: Int) -> Self {
        let row = owner.kivoRow
        return load(row.columns![property], row.slot)
    }

    static func set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        owner.kivoSet(value.cell, property) { store(value, $0, $1) }
    }

    static func promote(_ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) {
        let promoted = value ?? makeDefault()
        value = nil
        adder.store(promoted.cell, owner, property) { store(promoted, $0, $1) }
    }

    static func record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        return makeDefault()
    }

    static func fromAny(_ any: Any?) -> Self? {
        guard let any else { return nil }
        // Values of the type itself are by far the most common.
        if type(of: any) == Self.self { return any as? Self }
        return flatten(any).flatMap(convert)
    }

    static var elementKind: ElementKind { DeclaredType(scalarType).elementKind }
    static func describeElement(_ type: inout DeclaredType) { describe(&type) }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Self { Self(cell: cell) }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self {
        loadValue(address)
    }
    static func elementCell(_ element: Self, _ context: CollectionContext) -> Cell { element.cell }

    static func getOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        let row = owner.kivoRow
        return loadOptional(row.columns![property], row.slot)
    }

    static func setOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int) {
        owner.kivoSet(value?.cell ?? .null, property) { storeOptional(value, $0, $1) }
    }

    static func promoteOptional(
        _ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) {
        adder.store(value?.cell ?? .null, owner, property) { storeOptional(value, $0, $1) }
    }

    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        owner.kivoRecord(property)
        return nil
    }

    static func fromAnyInOptional(_ any: Any) -> Self? { convert(any) }
    static var optionalElementKind: ElementKind { DeclaredType(scalarType, isOptional: true).elementKind }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> Self? {
        cell == .null ? nil : Self(cell: cell)
    }
    static func optionalCell(_ value: Self?, _ context: CollectionContext) -> Cell { value?.cell ?? .null }
}

extension Int: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<Int> { _Layout(Int.self) }
    public static var _access: _Access<Int> { _Access(Int.self) }
}

extension Int8: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<Int8> { _Layout(Int8.self) }
    public static var _access: _Access<Int8> { _Access(Int8.self) }
}

extension Int16: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<Int16> { _Layout(Int16.self) }
    public static var _access: _Access<Int16> { _Access(Int16.self) }
}

extension Int32: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<Int32> { _Layout(Int32.self) }
    public static var _access: _Access<Int32> { _Access(Int32.self) }
}

extension Int64: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<Int64> { _Layout(Int64.self) }
    public static var _access: _Access<Int64> { _Access(Int64.self) }
}

extension Bool: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<Bool> { _Layout(Bool.self) }
    public static var _access: _Access<Bool> { _Access(Bool.self) }
}

extension Double: ScalarAccess, _Scalar {
    @inlinable public static var _layout: _Layout<Double> { _Layout(Double.self) }
    public static var _access: _Access<Double> { _Access(Double.self) }
}

extension Float: ScalarAccess, _Scalar {
    @inlinable public static var _layout: _Layout<Float> { _Layout(Float.self) }
    public static var _access: _Access<Float> { _Access(Float.self) }
}

extension Date: ScalarAccess, _Scalar, _Indexable {
    @inlinable public static var _layout: _Layout<Date> { _Layout(Date.self) }
    public static var _access: _Access<Date> { _Access(Date.self) }
}

extension String: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<String> { _Layout(String.self) }
    public static var _access: _Access<String> { _Access(String.self) }
}

extension Data: ScalarAccess, _Scalar {
    @inlinable public static var _layout: _Layout<Data> { _Layout(Data.self) }
    public static var _access: _Access<Data> { _Access(Data.self) }
}

extension UUID: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<UUID> { _Layout(UUID.self) }
    public static var _access: _Access<UUID> { _Access(UUID.self) }
}

extension ObjectId: ScalarAccess, _Scalar, _PrimaryKey {
    @inlinable public static var _layout: _Layout<ObjectId> { _Layout(ObjectId.self) }
    public static var _access: _Access<ObjectId> { _Access(ObjectId.self) }
}

extension Decimal128: ScalarAccess, _Scalar {
    @inlinable public static var _layout: _Layout<Decimal128> { _Layout(Decimal128.self) }
    public static var _access: _Access<Decimal128> { _Access(Decimal128.self) }
}

/// The cells of scalars, for the package's other modules.
extension _Scalar {
    package init(_cell: Cell) { self = Self._access.type.element(_cell, .unmanaged) }
    package var _cell: Cell { cell(in: .unmanaged) }

    package init(_words: (UInt64, UInt64)) { self.init(_cell: .wide(_words.0, _words.1)) }

    /// The 8 bytes of the value. Traps if it has another layout.
    package var _word: UInt64 {
        guard case .word(let word) = _cell else { trap("'\(Self.self)' is not a scalar of 8 bytes") }
        return word
    }

    /// The 16 bytes of the value. Traps if it has another layout.
    package var _words: (UInt64, UInt64) {
        guard case .wide(let high, let low) = _cell else {
            trap("'\(Self.self)' is not a scalar of 16 bytes")
        }
        return (high, low)
    }
}

extension ScalarType {
    /// Returns the cell of a value that is of this type or can be converted to it; nil for other values.
    func cell(of value: Any) -> Cell? {
        func convert<T: Scalar>(_ type: T.Type) -> Cell? { flatten(value).flatMap(T.convert)?.cell }
        if let cell = swiftType.map({ convert($0) }) ?? nil { return cell }
        if let mapped = flatten(value) as? any _CustomPersistable {
            return mapped.persistedScalar.flatMap { cell(of: $0) }
        }
        return (flatten(value) as? any PersistableEnum).flatMap { cell(ofCase: $0) }
    }

    private func cell(ofCase value: any PersistableEnum) -> Cell? {
        func cell<T: PersistableEnum>(_ value: T) -> Cell? {
            T.declared.scalar == self ? value.cell(in: .unmanaged) : self.cell(of: value.rawValue)
        }
        return cell(value)
    }
}
