import Foundation

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
