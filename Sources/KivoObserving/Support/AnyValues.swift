import Foundation

/// Returns a value without the optionals around it; nil also for the null marker.
package func nonNull(_ any: Any?) -> Any? {
    guard let value = flatten(any), cast(value, as: NSNull.self) == nil else { return nil }
    return value
}

/// Returns a value as an instance of a class or of a class-bound protocol, or nil.
///
/// Unlike `as?`, this does not try to bridge a dictionary or an array, with all its contents, to a class of Foundation.
@inline(__always)
package func cast<T>(_ any: Any, as type: T.Type) -> T? {
    Swift.type(of: any) is AnyClass ? any as? T : nil
}

/// Unwraps nested optionals, which values that are passed as `Any` often have.
package func flatten(_ any: Any?) -> Any? {
    guard let any else { return nil }
    // The cast looks for a conformance, which costs several times what a notification costs.
    if let kindOfOptionals, metadataKind(of: type(of: any)) != kindOfOptionals { return any }
    if let optional = any as? any AnyOptional { return flatten(optional.unwrapped) }
    return any
}

/// The first word of a type's metadata: one number for all structures, one for all optionals, and so on. A metatype is a pointer to
/// its metadata, which exists as long as the program runs.
@inline(__always)
private func metadataKind(of type: Any.Type) -> UInt {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
}

/// The first word of the metadata of optionals; nil if optionals cannot be recognised by it.
let kindOfOptionals: UInt? = {
    let kind = metadataKind(of: Int?.self)
    let optionals: [Any.Type] = [String?.self, Int??.self, [Int]?.self, AnyObject?.self]
    let others: [Any.Type] = [Int.self, String.self, [Int?].self, Result<Int, Never>.self, (Int?, Int).self]
    let areAlike = optionals.allSatisfy { metadataKind(of: $0) == kind }
    return areAlike && !others.contains { metadataKind(of: $0) == kind } ? kind : nil
}()

/// Whether a value has one of the types that most values have, none of which needs a conversion.
@inline(__always)
package func isOfFrequentType(_ value: Any) -> Bool {
    let type = type(of: value)
    return type == Int.self || type == String.self || type == Double.self || type == Bool.self
}

/// Boxes a number, like Foundation, unless its type is that of a literal: `as? Double` then also reads a `Float`, and `as? Int`
/// an `Int8`. Returns any other value unchanged.
///
/// The type is compared because a cast would also accept numbers that are already boxed.
package func boxed(_ value: Any) -> Any {
    let type = type(of: value)
    guard isBoxed(type) else { return value }
    if type == Float.self { return NSNumber(value: value as! Float) }
    if type == Int8.self { return NSNumber(value: value as! Int8) }
    if type == Int16.self { return NSNumber(value: value as! Int16) }
    if type == Int32.self { return NSNumber(value: value as! Int32) }
    return NSNumber(value: value as! Int64)
}

/// Whether ``boxed(_:)`` boxes the numbers of a type.
func isBoxed(_ type: Any.Type) -> Bool {
    type == Float.self || type == Int8.self || type == Int16.self || type == Int32.self || type == Int64.self
}

/// A type-erased optional.
package protocol AnyOptional {
    var unwrapped: Any? { get }
    /// Returns the unwrapped value of an optional of this type at an address.
    static func unwrapped(at address: UnsafeRawPointer) -> Any?
    /// The empty optional.
    static var none: Any { get }
    static var wrappedType: Any.Type { get }
    /// Returns an optional with a value, or nil if the value is not of its type.
    static func wrapping(_ value: Any) -> Any?
}

extension Optional: AnyOptional {
    package var unwrapped: Any? { self }
    package static func unwrapped(at address: UnsafeRawPointer) -> Any? {
        address.assumingMemoryBound(to: Self.self).pointee
    }
    package static var none: Any { Optional<Wrapped>(nilLiteral: ()) as Any }
    package static var wrappedType: Any.Type { Wrapped.self }
    package static func wrapping(_ value: Any) -> Any? { (value as? Wrapped).map { Optional($0) as Any } }
}

/// Returns a type without its optional layers.
package func withoutOptional(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type).map { withoutOptional($0.wrappedType) } ?? type
}

/// Returns a value for use in a set; nil for nil, the null marker, and values that are not hashable.
package func hashable(_ value: Any?) -> AnyHashable? {
    guard let value = flatten(value), !(value is NSNull) else { return nil }
    // Foundation's numbers and strings equal Swift's, but have other hashes.
    if let number = value as? NSNumber, type(of: value) is NSNumber.Type { return swiftNumber(number) }
    if let string = value as? NSString, type(of: value) is NSString.Type { return string as String }
    return value as? AnyHashable
}

private func swiftNumber(_ number: NSNumber) -> AnyHashable {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return number.doubleValue
    case UInt8(ascii: "Q"):
        return Int(exactly: number.uint64Value).map { AnyHashable($0) } ?? AnyHashable(number.uint64Value)
    default: return number.isTruthValue ? number.boolValue : number.intValue
    }
}

extension NSNumber {
    /// Whether the number is one of the two truth values, each of which is a singleton in Foundation. Its type is also that of
    /// small integers.
    package var isTruthValue: Bool { self === NSNumber(value: true) || self === NSNumber(value: false) }
}
