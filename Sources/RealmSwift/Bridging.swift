// Conversions between what is stored and what properties hold, by the names that the established API has for them.

/// A value of a type that one means which was read by name, or came out of a collection of Foundation. Traps if it means none.
public func dynamicBridgeCast<T>(fromObjectiveC value: Any) -> T {
    if let value = value as? T { return value }
    func converted<Value: _Persistable>(_ type: Value.Type) -> T? { type._fromAny(value) as? T }
    if let type = T.self as? any _Persistable.Type, let value = converted(type) { return value }
    fatalError("'\(value)' of type '\(type(of: value))' is no value of type '\(T.self)'.")
}

/// A value as it is read by name: the null marker for nil, and of a value of any type what it holds.
public func dynamicBridgeCast<T>(fromSwift value: T) -> Any { bridgedForm(value) }
