import KivoEngine

/// A type-erased ``Persisted`` wrapper, or the type that takes its place.
///
/// The static functions take the address of a wrapper inside of an object. The object owns the memory, which is valid as long as
/// the object exists.
protocol AnyPersisted {
    /// Whether the property caches an object for its value, a collection, which notifies observers of its changes itself.
    static var isCached: Bool { get }
    /// Whether the app's code converts between values and stored values; see `ValueLayout`.
    static var isConverted: Bool { get }
    static var valueType: Any.Type { get }
    /// The type that describes the column: ``valueType``, or the type of what that holds.
    static var storedValueType: Any.Type { get }
    static func describe(_ type: inout DeclaredType)
    /// Returns the name of the property that is followed backwards, which the declaration gives besides the type.
    static func originProperty(_ address: UnsafeMutableRawPointer) -> String?

    /// Returns the value of an unmanaged object's property.
    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any?
    /// Returns the value of an unmanaged object's property as it is stored, for a scalar that no code of the app converts; nil
    /// for other values.
    static func unmanagedCell(_ address: UnsafeMutableRawPointer) -> Cell?
    /// Returns the object that an unmanaged object's property links to.
    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase?
    /// Removes and returns the object that an unmanaged object's property links to.
    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase?
    /// Sets an unmanaged object's property; returns false if `any` does not fit the type.
    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool
    /// Returns the value of a managed object's property.
    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any?
    /// Sets a managed object's property; returns false if `any` does not fit the type.
    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool
    /// Writes the unmanaged value into the row of an object that is being added. The column is bound: it is in the form that
    /// wrappers of managed objects store.
    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: ObjectAdder)
    /// Writes a given value into the row of an object that is being added; returns false if it is not of the type.
    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: ObjectAdder
    ) -> Bool
    /// Returns the cached collection, or nil if the property has not created it yet.
    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject?
    /// Returns the object of the property that can change without an assignment: a collection, or its substitute.
    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject?
    /// Attaches the cached object of a property to a managed object or a recording instance; see ``isCached``.
    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo)
    /// Returns the value that a cell represents, for a property that is no collection.
    static func value(of cell: Cell, _ context: CollectionContext) -> Any?
}

extension AnyPersisted {
    static var isConverted: Bool { false }
    static var storedValueType: Any.Type { valueType }
    static func unmanagedCell(_ address: UnsafeMutableRawPointer) -> Cell? { nil }
}

/// A property wrapper that the registry finds in objects.
protocol LocatedWrapper {
    /// The number of the property in its class, or a pattern until that is known.
    var column: UInt32 { get }
    /// The offset of the number in a wrapper.
    static var columnOffset: Int { get }
}
