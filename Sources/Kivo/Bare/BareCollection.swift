import KivoEngine

/// The substitute of the wrapper for a collection in a bare property. See ``BareDeclaration``.
///
/// The addresses are those of the reference. The reference never changes while the object exists, with one exception: if the
/// collection was another object's property when this object became managed, the property gets a collection of its own.
enum BareCollection<Value: CollectionAccess>: AnyPersisted {
    static var isCached: Bool { true }
    static var valueType: Any.Type { Value.self }
    static func describe(_ type: inout DeclaredType) { Value.describe(&type) }
    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? { nil }

    /// An optional reference has the layout of a reference.
    private static func pointer(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value?> {
        address.assumingMemoryBound(to: Value?.self)
    }

    private static func collection(_ address: UnsafeMutableRawPointer) -> Value {
        pointer(address).pointee.unsafelyUnwrapped
    }

    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any? { collection(address) }
    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }
    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }

    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool {
        guard let value = Value.fromAny(any) else { return false }
        collection(address).assign(value)
        return true
    }

    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        collection(address)
    }

    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool {
        setUnmanagedValue(address, any)
    }

    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: ObjectAdder
    ) {
        Value.promote(&pointer(address).pointee, owner, column, adder)
    }

    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: ObjectAdder
    ) -> Bool {
        guard let value = Value.fromAny(any) else { return false }
        // If another object owns the collection, only its elements are used.
        var promoted: Value? = Value.adopt(value, nil)
        Value.promote(&promoted, owner, column, adder)
        renew(address, owner, owner.kivoContext.info.property(bound: column))
        return true
    }

    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject? { collection(address) }
    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject? { collection(address) }

    static func value(of cell: Cell, _ context: CollectionContext) -> Any? { nil }

    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo) {
        guard let collection = collection(address) as? any ModelCollection else { return }
        if let recorder = owner.kivoRecorder {
            collection.parent.recorder = recorder
            recorder.expect(collection, of: owner, property)
        } else if !collection.become(managed: owner, property), !collection.isOf(owner, property) {
            pointer(address).pointee = Value(managed: owner, property.column)
        }
    }
}

extension ModelCollection {
    /// Returns whether the collection belongs to a managed object's property.
    fileprivate func isOf(_ owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        guard let reference, reference.instance === owner.kivoInstance else { return false }
        return reference.id
            == CollectionID(table: owner.kivoContext.table, column: property.column, key: owner.kivoRow.key)
    }
}

extension CollectionAccess {
    static var bareColumn: any AnyPersisted.Type { BareCollection<Self>.self }
    static var holderOffset: Int { 0 }
    static func makeHolder() -> AnyObject { Self() }
    var holder: AnyObject? { self }
}

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
    static var isConverted: Bool { Value._layout.type.isConverted }
    static var valueType: Any.Type { _BareValue<Value>.self }
    static var storedValueType: Any.Type { Value.self }
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
