import KivoEngine

extension Persisted where Value: _Persistable {
    static var columnOffset: Int { MemoryLayout<Self>.offset(of: \.column)! }
    static var isCached: Bool { Value._layout.type.isCached }
    static var isConverted: Bool { Value._layout.type.isConverted }
    static var valueType: Any.Type { Value.self }
    static func describe(_ type: inout DeclaredType) { Value._access.type.describe(&type) }

    private static func wrapper(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? {
        Value._access.type.originProperty(wrapper(address).pointee.stored)
    }

    /// Returns the default that the declaration gives, or nil, for an instance whose property was never assigned.
    static func declaredDefault(_ address: UnsafeMutableRawPointer) -> Value? {
        wrapper(address).pointee.stored
    }

    private static func materialized(_ address: UnsafeMutableRawPointer) -> Value {
        if let value = wrapper(address).pointee.stored { return value }
        let value = Value._layout.type.makeDefault()
        wrapper(address).pointee.stored = value
        return value
    }

    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any? {
        Value._access.type.toAny(materialized(address))
    }

    static func unmanagedCell(_ address: UnsafeMutableRawPointer) -> Cell? {
        guard Value._layout.type.isScalar, !isConverted else { return nil }
        return Value._access.type.elementCell(materialized(address), .unmanaged)
    }

    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase? {
        Value._access.type.linkedObject(wrapper(address).pointee.stored)
    }

    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase? {
        let object = linkedObject(address)
        wrapper(address).pointee.stored = Value._layout.type.makeDefault()
        return object
    }

    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool {
        guard let value = Value._access.type.fromAny(any) else { return false }
        if Value._layout.type.isCached { return Value._layout.type.replace(value, materialized(address)) }
        wrapper(address).pointee.stored = value
        return true
    }

    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        if Value._layout.type.isCached, let cached = wrapper(address).pointee.stored { return cached }
        let value = Value._access.type.get(owner, column)
        if Value._layout.type.isCached, owner.kivoInstance?.isFrozen == false {
            wrapper(address).pointee.stored = value
        }
        return Value._access.type.toAny(value)
    }

    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool {
        guard let value = Value._access.type.fromAny(any) else { return false }
        Value._access.type.set(value, owner, column)
        return true
    }

    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: ObjectAdder
    ) {
        // The value is the wrapper's first field; this way its type is not needed at run time.
        Value._access.type.promote(
            &address.assumingMemoryBound(to: Value?.self).pointee, owner, column, adder)
    }

    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: ObjectAdder
    ) -> Bool {
        guard let value = Value._access.type.fromAny(any) else { return false }
        // If another object owns the collection, only its elements are used.
        var stored: Value? = Value._layout.type.adopt(value, nil)
        Value._access.type.promote(&stored, owner, column, adder)
        wrapper(address).pointee.stored = nil
        return true
    }

    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject? {
        Value._layout.type.isCached ? wrapper(address).pointee.stored as AnyObject? : nil
    }

    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject? {
        Value._layout.type.isCached ? materialized(address) as AnyObject : nil
    }

    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo) {
        wrapper(address).pointee.stored = nil
    }

    static func value(of cell: Cell, _ context: CollectionContext) -> Any? { Value.value(of: cell, context) }
}

extension Ignored {
    static var columnOffset: Int { MemoryLayout<Self>.offset(of: \.column)! }
    static var valueType: Any.Type { Value.self }

    static func value(_ address: UnsafeMutableRawPointer) -> Any? {
        address.assumingMemoryBound(to: Self.self).pointee.stored
    }

    static func takes(_ any: Any?) -> Bool { converted(any, to: Value.self) != nil }

    static func setValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool {
        guard let value = converted(any, to: Value.self) else { return false }
        address.assumingMemoryBound(to: Self.self).pointee.stored = value
        return true
    }
}
