import KivoEngine

/// A property wrapper that the registry finds in objects.
protocol LocatedWrapper {
    /// A number that says which property of its class this is, or a pattern while that is not known.
    var column: UInt32 { get }
    /// Where the number is in a wrapper.
    static var columnOffset: Int { get }
}

/// A ``Persisted`` wrapper, seen without its value type.
///
/// The static functions take the address of a wrapper inside of an object. The object owns the memory, which is
/// there as long as the object is.
protocol AnyPersisted: LocatedWrapper {
    static var isCached: Bool { get }
    static var valueType: Any.Type { get }
    static func describe(_ type: inout PropertyType)
    /// What the property's declaration says beyond its type.
    static func originProperty(_ address: UnsafeMutableRawPointer) -> String?

    /// The value of an unmanaged object's property.
    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any?
    /// The object that an unmanaged object's property links to.
    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase?
    /// Takes the object out that an unmanaged object's property links to.
    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase?
    /// Sets an unmanaged object's property; false if `any` is no value of the type.
    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool
    /// The value of a managed object's property.
    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any?
    /// Sets a managed object's property; false if `any` is no value of the type.
    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool
    /// Writes the unmanaged value into the row of an object that is being added. The column is bound, as wrappers of
    /// managed objects carry it.
    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: _ObjectAdder)
    /// Writes a given value into the row of an object that is being added; false if it is none of the type.
    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: _ObjectAdder
    ) -> Bool
    /// The cached collection, if the property has made it.
    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject?
    static func forgetCollection(_ address: UnsafeMutableRawPointer)
    /// The value that a cell means, for a property that is no collection.
    static func value(of cell: Cell, _ context: CollectionContext) -> Any?
}

extension Persisted: AnyPersisted {
    static var columnOffset: Int { MemoryLayout<Self>.offset(of: \.column)! }
    static var isCached: Bool { Value._isCached }
    static var valueType: Any.Type { Value.self }
    static func describe(_ type: inout PropertyType) { Value._describe(&type) }

    private static func wrapper(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? {
        (wrapper(address).pointee.stored as? any AnyLinkingObjects)?.originProperty
    }

    private static func materialized(_ address: UnsafeMutableRawPointer) -> Value {
        if let value = wrapper(address).pointee.stored { return value }
        let value = Value._makeDefault()
        wrapper(address).pointee.stored = value
        return value
    }

    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any? {
        Value._toAny(materialized(address))
    }

    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase? {
        Value._linkedObject(wrapper(address).pointee.stored)
    }

    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase? {
        let object = linkedObject(address)
        wrapper(address).pointee.stored = Value._makeDefault()
        return object
    }

    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool {
        guard let value = Value._fromAny(any) else { return false }
        if Value._isCached, let collection = materialized(address) as? any AnyObservableCollection {
            return collection.assignAny(value)
        }
        wrapper(address).pointee.stored = value
        return true
    }

    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        if Value._isCached, let cached = wrapper(address).pointee.stored { return cached }
        let value = Value._get(owner, column)
        if Value._isCached, owner.kivoInstance?.isFrozen == false { wrapper(address).pointee.stored = value }
        return Value._toAny(value)
    }

    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool {
        guard let value = Value._fromAny(any) else { return false }
        Value._set(value, owner, column)
        return true
    }

    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: _ObjectAdder
    ) {
        // The value is the wrapper's first field; this way its type is not needed at run time.
        Value._promote(&address.assumingMemoryBound(to: Value?.self).pointee, owner, column, adder)
    }

    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: _ObjectAdder
    ) -> Bool {
        guard let value = Value._fromAny(any) else { return false }
        // Of a collection that somebody else holds, only the elements are wanted.
        var stored: Value? = Value._adopt(value, nil)
        Value._promote(&stored, owner, column, adder)
        wrapper(address).pointee.stored = nil
        return true
    }

    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject? {
        Value._isCached ? wrapper(address).pointee.stored as AnyObject? : nil
    }

    static func forgetCollection(_ address: UnsafeMutableRawPointer) { wrapper(address).pointee.stored = nil }

    static func value(of cell: Cell, _ context: CollectionContext) -> Any? {
        func value<Element: RealmCollectionValue>(_ type: Element.Type) -> Any? {
            Element._element(cell, context)
        }
        guard let type = Value.self as? any RealmCollectionValue.Type else { return nil }
        return flatten(value(type))
    }
}
