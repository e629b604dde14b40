// Conversions between stored values and property values, under their names in the established API.

/// Converts a value that was read by name, or from a Foundation collection, to a type. Traps if the type has no such value.
public func dynamicBridgeCast<T>(fromObjectiveC value: Any) -> T {
    if let value = value as? T { return value }
    if let value = converted(value, to: T.self) { return value }
    fatalError("'\(value)' of type '\(type(of: value))' is no value of type '\(T.self)'.")
}

/// Returns a value in the form in which it is read by name: the null marker for nil, and the content of a value of any type.
public func dynamicBridgeCast<T>(fromSwift value: T) -> Any { bridgedForm(value) }
