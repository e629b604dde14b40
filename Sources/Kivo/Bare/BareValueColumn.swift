import KivoEngine

extension _BareValue {
    static var bareColumn: any AnyPersisted.Type { BareValueColumn<Value>.self }
    static var holderOffset: Int { 0 }
    static func makeHolder() -> AnyObject { _BareValue() }
    var holder: AnyObject? { self }
}

/// The substitute of the wrapper for a value in a bare property. See ``BareDeclaration``.
enum BareValueColumn<Value: RealmPropertyType>: AnyPersisted {
    /// The holder is cached like a collection, and like one notifies observers of its changes itself.
    static var isCached: Bool { true }
    static var valueType: Any.Type { _BareValue<Value>.self }
    static func describe(_ type: inout DeclaredType) { Value._access.type.describe(&type) }
    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? { nil }

    private static func box(_ address: UnsafeMutableRawPointer) -> _BareValue<Value> {
        address.assumingMemoryBound(to: _BareValue<Value>.self).pointee
    }

    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any? {
        Value._access.type.toAny(box(address).value)
    }

    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase? { box(address).linkedObject }
    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }

    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool {
        guard let value = Value._access.type.fromAny(any) else { return false }
        box(address).value = value
        return true
    }

    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        Value._access.type.toAny(Value._access.type.get(owner, column))
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
        box(address).promote(owner, column, adder)
    }

    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: ObjectAdder
    ) -> Bool {
        guard let value = Value._access.type.fromAny(any) else { return false }
        var promoted: Value? = value
        Value._access.type.promote(&promoted, owner, column, adder)
        box(address).become(managed: owner, owner.kivoContext.info.property(bound: column))
        return true
    }

    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject? { nil }
    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject? { box(address) }

    static func value(of cell: Cell, _ context: CollectionContext) -> Any? { Value.value(of: cell, context) }

    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo) {
        let holder = box(address)
        if let recorder = owner.kivoRecorder {
            holder.parent.recorder = recorder
            recorder.expect(holder, of: owner, property)
        } else {
            holder.become(managed: owner, property)
        }
    }
}
