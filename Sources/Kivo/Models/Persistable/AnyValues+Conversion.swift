import Foundation

/// Converts a value to another type. Returns nil if it does not fit.
package func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
    guard let value = flatten(value) else { return (Value.self as? any AnyOptional.Type)?.none as? Value }
    if let value = value as? Value { return value }
    func convert<Persistable: _Persistable>(_ type: Persistable.Type) -> Any? {
        type._access.type.fromAny(value)
    }
    if let persistable = Value.self as? any _Persistable.Type { return convert(persistable) as? Value }
    let wrapped = (Value.self as? any AnyOptional.Type)?.wrappedType ?? Value.self
    if let persistable = wrapped as? any _Persistable.Type { return convert(persistable) as? Value }
    // Collections that are changed in place.
    if wrapped == NSMutableArray.self, let array = value as? [Any] {
        return NSMutableArray(array: array) as? Value
    }
    if wrapped == NSMutableSet.self, let set = value as? Set<AnyHashable> {
        return NSMutableSet(array: set.map(\.base)) as? Value
    }
    return nil
}
