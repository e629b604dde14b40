import Foundation
import KivoEngine

/// The replacement of a wrapper for properties that the program does not declare: those of ``DynamicObject``s.
///
/// The values are those of the row. The object itself stores none, and the addresses are not used.
protocol AnyDynamicColumn: AnyPersisted {
    associatedtype Value: _Persistable
}

extension AnyDynamicColumn {
    /// Accessors cache no collections.
    static var isCached: Bool { false }
    static var valueType: Any.Type { Value.self }
    static func describe(_ type: inout DeclaredType) { Value._access.type.describe(&type) }
    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? { nil }
    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any? { nil }
    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }
    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }
    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool { false }
    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject? { nil }
    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject? { nil }
    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo) {}

    /// Returns the value in the row. In migrations an integer is an `NSNumber`, which can be cast to any width. The program has
    /// no declarations of old classes that give the width.
    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        let value = Value._access.type.toAny(Value._access.type.get(owner, column))
        if owner.kivoContext.instance.migration == nil { return value }
        return (value as? any BinaryInteger).map { NSNumber(value: Int64($0)) } ?? value
    }

    /// Writes the default of the declared class, or that of the type.
    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: ObjectAdder
    ) {
        let info = owner.kivoContext.info
        let initial = info.dynamicDefault(info.property(bound: column))
        if initial != nil, promote(initial, address, owner, column, adder) { return }
        var value: Value? = nil
        Value._access.type.promote(&value, owner, column, adder)
    }

    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: ObjectAdder
    ) -> Bool {
        guard let value = made(of: any) else { return false }
        // If another object owns the collection, only its elements are used.
        var stored: Value? = Value._layout.type.adopt(value, nil)
        Value._access.type.promote(&stored, owner, column, adder)
        return true
    }

    /// Returns the value of the column's type that `any` represents, or nil if there is none. For values of enums and mapped types,
    /// the stored form counts.
    static func made(of any: Any?) -> Value? {
        if let value = Value._access.type.fromAny(any) { return value }
        guard let any = nonNull(any) else { return nil }
        guard Value.self is any CollectionAccess.Type else {
            return Value._access.type.fromAny(storedForm(any))
        }
        if let entries = CollectionContents.entries(any) {
            let stored = entries.map { ($0.key, $0.value.map(storedForm) as Any) }
            return Value._access.type.fromAny(Dictionary(stored, uniquingKeysWith: { first, _ in first }))
        }
        return CollectionContents.elements(ofSequence: any).flatMap {
            Value._access.type.fromAny($0.map(storedForm))
        }
    }

    static func value(of cell: Cell, _ context: CollectionContext) -> Any? { Value.value(of: cell, context) }
}

/// A property of plain values, or of a collection of them.
struct DynamicColumn<Value: _Persistable>: AnyDynamicColumn {
    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool {
        guard let value = made(of: any) else { return false }
        Value._access.type.set(value, owner, column)
        return true
    }
}

extension ClassInfo {
    /// Returns the value of a dynamic object's property that is given none: the default of the declared class, or that of the
    /// type.
    func dynamicDefault(_ property: PropertyInfo) -> Any? {
        if let declared, let known = declared.property(named: property.name) {
            let prototype: ObjectBase = declared.type.init()
            return known.wrapper.unmanagedValue(known.address(in: prototype))
        }
        guard property.type.collection == .none, !property.type.isOptional else { return nil }
        return property.type.scalar?.swiftType?.makeDefault()
    }
}
