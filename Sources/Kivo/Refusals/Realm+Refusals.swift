import Dispatch
import Foundation

/// Compiler messages for embedded objects without an owner.
extension Realm {
    /// Unavailable: an embedded object is added with the object that owns it.
    @available(
        *, unavailable,
        message:
            "an embedded object is added with its owner: assign it to a property, or append it to a list, of an Object"
    )
    public func add(_ object: EmbeddedObject, update: UpdatePolicy = .error) { trap("unavailable") }

    /// Unavailable: an embedded object is created with the object that owns it.
    @available(
        *, unavailable,
        message:
            "an embedded object is created with its owner: assign one to a property, or append it to a list, of an Object"
    )
    public func create<Embedded: EmbeddedObject>(
        _ type: Embedded.Type, value: Any = [:], update: UpdatePolicy = .error
    ) -> Embedded { trap("unavailable") }

    /// Unavailable: embedded objects are reached through the objects that own them.
    @available(
        *, unavailable,
        message:
            "embedded objects are reached through their owners: ask for those, as in 'where { $0.address.city == \"Oslo\" }'"
    )
    public func objects<Embedded: EmbeddedObject>(_ type: Embedded.Type) -> Results<Embedded> {
        trap("unavailable")
    }
}

// Members for apps whose realms were synchronised with a server. There is no server, and code that needs one must not compile and
// then do nothing: the compiler says what to write instead. The product `RealmSwift` declares the types of that kind.

extension Realm {
    /// Unavailable: realms are not synchronised.
    @available(*, unavailable, message: "realms are not synchronised, so that there is no session: remove it")
    public var syncSession: Never? { trap("unavailable") }

    /// Unavailable: all objects are on this machine.
    @available(
        *, unavailable,
        message: "all objects are on this machine: query them, 'realm.objects(Dog.self)', and observe that"
    )
    public var subscriptions: Never { trap("unavailable") }

    /// Unavailable: there is no server that records events.
    @available(
        *, unavailable,
        message: "there is no server that records events: observe the realm, and record what is told"
    )
    public var events: Never? { trap("unavailable") }
}

extension Realm.AsyncOpenTask {
    /// Unavailable: nothing is downloaded.
    @available(
        *, unavailable,
        message: "nothing is downloaded when a realm is opened, so that there is no progress: remove it"
    )
    public func addProgressNotification(queue: DispatchQueue = .main, block: @escaping (Never) -> Void) {
        trap("unavailable")
    }
}

extension Realm.Configuration {
    /// Unavailable: realms are not synchronised.
    @available(
        *, unavailable,
        message: "realms are not synchronised: remove it, and open the realm by its file, 'Realm(fileURL:)'"
    )
    public var syncConfiguration: Any? {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// Unavailable: there is no server that records events.
    @available(
        *, unavailable,
        message: "there is no server that records events: observe the realm, and record what is told"
    )
    public var eventConfiguration: Any? {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// Unavailable: realms are not synchronised.
    @available(
        *, unavailable, message: "realms are not synchronised: leave 'syncConfiguration' out, and name a file"
    )
    public init(
        fileURL: URL? = nil, inMemoryIdentifier: String? = nil, syncConfiguration: Any?,
        encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
        migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
        shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
        objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
    ) { trap("unavailable") }
}

extension Results {
    /// Unavailable: all objects are on this machine.
    @available(
        *, unavailable,
        message: "all objects are on this machine: observe the results, 'results.observe { … }'"
    )
    public func subscribe(name: String? = nil, timeout: TimeInterval? = nil) async throws -> Results {
        trap("unavailable")
    }

    /// Unavailable: all objects are on this machine.
    @available(
        *, unavailable, message: "all objects are on this machine: invalidate the token of an observation"
    )
    public func unsubscribe() { trap("unavailable") }
}
