/// Kivo under the name of the library that it succeeds. Sources that `import RealmSwift`, and write `RealmSwift.List` to
/// distinguish it from another `List`, compile without changes. Parts of that library that cannot exist here (its server and
/// Objective-C) are declared unavailable, with a message that says what to write instead.
@_exported import Foundation
@_exported import Kivo

#if !canImport(Darwin)
/// Calls a closure, and returns what it returns. Objective-C's pools of temporary objects do not exist on this platform, and
/// nothing needs them.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
#endif

/// Converts a value that was read by name, or from a Foundation collection, to a type. Traps if the type has no such value.
public func dynamicBridgeCast<T>(fromObjectiveC value: Any) -> T {
    if let value = value as? T { return value }
    if let value = converted(value, to: T.self) { return value }
    fatalError("'\(value)' of type '\(type(of: value))' is no value of type '\(T.self)'.")
}

/// Returns a value in the form in which it is read by name: the null marker for nil, and the content of a value of any type.
public func dynamicBridgeCast<T>(fromSwift value: T) -> Any { bridgedForm(value) }

@available(
    *, unavailable, message: "there are no Objective-C counterparts to convert to: pass the Swift values"
)
public enum ObjectiveCSupport {
    public static func convert<Value>(object: Value) -> Value { object }
}

@available(*, unavailable, message: "there is no Objective-C API: use 'Realm'")
public typealias RLMRealm = Never

@available(
    *, unavailable,
    message:
        "there is no Objective-C API: derive the class from 'Object', and declare properties '@Persisted'"
)
public typealias RLMObject = Object

@available(*, unavailable, renamed: "ObjectBase", message: "there is no Objective-C API: use 'ObjectBase'")
public typealias RLMObjectBase = ObjectBase

@available(
    *, unavailable, renamed: "NotificationToken",
    message: "there is no Objective-C API: use 'NotificationToken'"
)
public typealias RLMNotificationToken = NotificationToken

@available(*, unavailable, message: "there is no Objective-C API: use 'Realm.Configuration'")
public typealias RLMRealmConfiguration = Never
