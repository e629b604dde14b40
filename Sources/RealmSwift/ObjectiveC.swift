// Declarations of the Objective-C API. Kivo does without that runtime.

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
