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

/// A number of another type than literals have, boxed as Foundation boxes it: `as? Double` reads a `Float` and `as? Int` an
/// `Int8`, besides their own types. Any other value as it is.
///
/// The type is asked for, because a cast alone also takes numbers that are boxed already.
func boxed(_ value: Any) -> Any {
    switch type(of: value) {
    case is Float.Type: NSNumber(value: value as! Float)
    case is Int8.Type: NSNumber(value: value as! Int8)
    case is Int16.Type: NSNumber(value: value as! Int16)
    case is Int32.Type: NSNumber(value: value as! Int32)
    case is Int64.Type: NSNumber(value: value as! Int64)
    default: value
    }
}

/// A date in words: as Foundation prints it, unless it is too far from now for that, which ends the process.
func words(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    return abs(seconds) < 1e18 ? "\(date)" : "\(seconds) s since 1970"
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
