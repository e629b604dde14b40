// Declarations of the server with which realms were synchronised. It has been shut down, and there is no replacement here.

@available(
    *, unavailable, message: "there is no server to log in to: open the realm by its file, 'Realm(fileURL:)'"
)
public struct App {
    public init(id: String) {}
    public init(id: String, configuration: AppConfiguration) {}
    public var currentUser: User? { nil }
}

@available(
    *, unavailable, message: "there is no server to log in to: open the realm by its file, 'Realm(fileURL:)'"
)
public struct AppConfiguration {
    public init(baseURL: String? = nil) {}
}

@available(
    *, unavailable,
    message: "there is no server with users: keep what tells users apart in objects of your own"
)
public typealias User = Never

@available(
    *, unavailable,
    message: "there is no server with users: keep what tells users apart in objects of your own"
)
public enum Credentials {
    case anonymous
    case emailPassword(email: String, password: String)
}

@available(
    *, unavailable,
    message: "there is no server with users: keep what tells users apart in objects of your own"
)
public typealias UserProfile = Never

@available(
    *, unavailable,
    message: "realms are not synchronised: send what 'collection.changes' streams, and write what comes back"
)
public typealias SyncConfiguration = Never

@available(
    *, unavailable,
    message: "realms are not synchronised: send what 'collection.changes' streams, and write what comes back"
)
public typealias SyncSession = Never

@available(
    *, unavailable,
    message: "realms are not synchronised: send what 'collection.changes' streams, and write what comes back"
)
public typealias SyncManager = Never

@available(
    *, unavailable,
    message: "realms are not synchronised, so that no such error occurs: remove what handles it"
)
public typealias SyncError = Never

@available(
    *, unavailable, message: "realms are not synchronised, so that nothing is reset: remove what handles it"
)
public typealias ClientResetMode = Never

@available(
    *, unavailable,
    message: "all objects are on this machine: query them, 'realm.objects(Dog.self)', and observe that"
)
public typealias SyncSubscriptionSet = Never

@available(
    *, unavailable,
    message: "all objects are on this machine: query them, 'realm.objects(Dog.self)', and observe that"
)
public typealias SyncSubscription = Never

@available(
    *, unavailable,
    message: "all objects are on this machine: query them, 'realm.objects(Dog.self)', and observe that"
)
public typealias QuerySubscription = Never

@available(
    *, unavailable, message: "there is no server that takes such objects: derive the class from 'Object'"
)
public typealias AsymmetricObject = Object

@available(
    *, unavailable,
    message: "there is no server that records events: observe the realm, and record what is told"
)
public typealias EventConfiguration = Never

@available(
    *, unavailable, message: "there is no server with such documents: use 'AnyRealmValue', or a dictionary"
)
public typealias AnyBSON = Never

@available(*, unavailable, message: "there is no server with such collections: use a client of that database")
public typealias MongoClient = Never

@available(*, unavailable, message: "there is no server with such collections: use a client of that database")
public typealias MongoCollection = Never
