import Foundation

/// A value for use in a set; nil for nil and the null marker, and for what cannot be compared.
func hashable(_ value: Any?) -> AnyHashable? {
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
    case UInt8(ascii: "B"), UInt8(ascii: "c"):
        // Foundation has the same type for a truth value and a small integer.
        let isTruth = number == NSNumber(value: true) || number == NSNumber(value: false)
        return isTruth ? number.boolValue : number.intValue
    default: return number.intValue
    }
}
