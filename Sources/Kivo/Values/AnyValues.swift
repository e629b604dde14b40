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
