/// One ignored property of a class.
///
/// Immutable; the metatype is that of a wrapper, whose conformance is not isolated to any actor.
final class IgnoredPropertyInfo: @unchecked Sendable {
    let name: String
    /// The property's number, greater than all columns.
    let column: Int
    let wrapper: any AnyIgnored.Type
    /// Bytes from the start of an object to the wrapper.
    let offset: Int

    init(_ name: String, _ column: Int, _ wrapper: any AnyIgnored.Type, _ offset: Int) {
        self.name = name
        self.column = column
        self.wrapper = wrapper
        self.offset = offset
    }

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque() + offset
    }
}

/// A type-erased ``Ignored`` wrapper.
///
/// The static functions take the address of a wrapper inside of an object. The object owns the memory, which is valid as long as
/// the object exists.
protocol AnyIgnored: LocatedWrapper {
    static var valueType: Any.Type { get }
    static var target: ObjectBase.Type? { get }
    static func value(_ address: UnsafeMutableRawPointer) -> Any?
    /// Returns whether a value is of the property's type.
    static func takes(_ any: Any?) -> Bool
    static func setValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool
}
