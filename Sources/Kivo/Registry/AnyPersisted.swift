import KivoEngine

/// A ``Persisted`` wrapper, or what is in the place of one, seen without its value type.
///
/// The static functions take the address of a wrapper inside of an object. The object owns the memory, which is
/// there as long as the object is.
protocol AnyPersisted {
    /// Whether the property keeps an object that stands for its value, and tells of its changes itself: a collection.
    static var isCached: Bool { get }
    static var valueType: Any.Type { get }
    static func describe(_ type: inout DeclaredType)
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
    /// Writes a given value into the row of an object that is being added; false if it is not of the type.
    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: _ObjectAdder
    ) -> Bool
    /// The cached collection, if the property has made it.
    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject?
    /// What the property keeps that changes by itself, without being assigned: a collection, or what stands for one.
    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject?
    /// Makes what the property of a managed object or of a recording instance keeps be of that; see ``isCached``.
    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo)
    /// The value that a cell means, for a property that is no collection.
    static func value(of cell: Cell, _ context: CollectionContext) -> Any?
}
