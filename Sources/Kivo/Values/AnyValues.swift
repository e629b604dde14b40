import Foundation

/// A value without the optionals around it; nil for the null marker, too.
func nonNull(_ any: Any?) -> Any? {
    guard let value = flatten(any), cast(value, as: NSNull.self) == nil else { return nil }
    return value
}

/// The instance of a class, or what conforms to a class-bound protocol, that a value is.
///
/// Unlike `as?`, this does not try to bridge a dictionary or an array to a class of Foundation, with all that is in it.
@inline(__always)
func cast<T>(_ any: Any, as type: T.Type) -> T? {
    Swift.type(of: any) is AnyClass ? any as? T : nil
}

/// Takes optionals out of optionals, as values that come through `Any` often have them.
func flatten(_ any: Any?) -> Any? {
    guard let any else { return nil }
    if let optional = any as? any AnyOptional { return flatten(optional.unwrapped) }
    return any
}

/// Any optional, seen through `Any`.
protocol AnyOptional {
    var unwrapped: Any? { get }
    /// The optional that holds nothing.
    static var none: Any { get }
    static var wrappedType: Any.Type { get }
    /// The optional that holds a value; nil if the value is not of its type.
    static func wrapping(_ value: Any) -> Any?
}

extension Optional: AnyOptional {
    var unwrapped: Any? { self }
    static var none: Any { Optional<Wrapped>(nilLiteral: ()) as Any }
    static var wrappedType: Any.Type { Wrapped.self }
    static func wrapping(_ value: Any) -> Any? { (value as? Wrapped).map { Optional($0) as Any } }
}

/// A value as another type has it; nil if it is not of the type.
func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
    guard let value = flatten(value) else { return (Value.self as? any AnyOptional.Type)?.none as? Value }
    if let value = value as? Value { return value }
    func convert<Persistable: _Persistable>(_ type: Persistable.Type) -> Any? { type._fromAny(value) }
    if let persistable = Value.self as? any _Persistable.Type { return convert(persistable) as? Value }
    let wrapped = (Value.self as? any AnyOptional.Type)?.wrappedType ?? Value.self
    if let persistable = wrapped as? any _Persistable.Type { return convert(persistable) as? Value }
    // Collections that are changed where they are.
    if wrapped == NSMutableArray.self, let array = value as? [Any] {
        return NSMutableArray(array: array) as? Value
    }
    if wrapped == NSMutableSet.self, let set = value as? Set<AnyHashable> {
        return NSMutableSet(array: set.map(\.base)) as? Value
    }
    return nil
}
