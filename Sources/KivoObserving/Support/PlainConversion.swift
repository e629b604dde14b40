import Foundation

/// Converts a value to another type: numbers to numbers, the elements of arrays and sets, and nil to the empty optional. Returns
/// nil if it does not fit.
package func plainlyConverted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
    guard let value = nonNull(value) else { return (type as? any AnyOptional.Type)?.none as? Value }
    if let value = value as? Value { return value }
    let wrapped = (type as? any AnyOptional.Type)?.wrappedType ?? type
    if let number = number(value, as: wrapped) { return number as? Value }
    if wrapped == NSMutableArray.self, let array = value as? [Any] {
        return NSMutableArray(array: array) as? Value
    }
    if wrapped == NSMutableSet.self, let set = value as? Set<AnyHashable> {
        return NSMutableSet(array: set.bases) as? Value
    }
    return nil
}

/// Returns a number as one of another type, if it has that value there; fractions are rounded to the precision of the type.
private func number(_ value: Any, as type: Any.Type) -> Any? {
    let isTruth = value is Bool || (cast(value, as: NSNumber.self)?.isTruthValue ?? false)
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? {
        switch value {
        case let value as any BinaryInteger: Integer(exactly: value)
        case let value as any BinaryFloatingPoint: Integer(exactly: Double(value))
        case let value as NSNumber:
            Integer(exactly: value.int64Value).flatMap { value.doubleValue == Double($0) ? $0 : nil }
        default: nil
        }
    }
    func fraction<Fraction: BinaryFloatingPoint>(_ type: Fraction.Type) -> Any? {
        switch value {
        case let value as any BinaryFloatingPoint: Fraction(value)
        case let value as any BinaryInteger: Fraction(value)
        case let value as NSNumber: Fraction(value.doubleValue)
        default: nil
        }
    }
    if type == Bool.self {
        if let number = cast(value, as: NSNumber.self) { return number.boolValue }
        return (value as? any BinaryInteger).map { Int(clamping: $0) != 0 }
    }
    if isTruth, let truth = value as? Bool {
        return number(truth ? 1 : 0, as: type)
    }
    if let type = type as? any FixedWidthInteger.Type { return integer(type) }
    if let type = type as? any BinaryFloatingPoint.Type { return fraction(type) }
    return nil
}
