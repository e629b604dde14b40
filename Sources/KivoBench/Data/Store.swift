import Foundation
import Kivo

/// A store that two threads use: the main thread's realm, and another realm that writes.
final class Store {
    let configuration: Realm.Configuration
    let realm: Realm
    private var openWriter: Writer?

    init(_ configuration: Realm.Configuration) throws {
        self.configuration = configuration
        self.realm = try Realm(configuration: configuration)
    }

    /// Returns the other realm, which is opened on first access.
    func writer() throws -> Writer {
        if let openWriter { return openWriter }
        let writer = try Writer(configuration)
        openWriter = writer
        return writer
    }

    /// Lets new observers become ready and receive their first calls.
    func settle() throws {
        _ = realm.refresh()
        try realm.write {}
        _ = realm.refresh()
    }
}

/// A realm that is confined to its own queue.
final class Writer {
    private let queue = DispatchQueue(label: "kivo-bench.writer")
    private let realm: Realm

    init(_ configuration: Realm.Configuration) throws {
        realm = try queue.sync { [queue] in try Realm(configuration: configuration, queue: queue) }
    }

    /// Calls `body` on the queue and waits.
    func perform<R>(_ body: (Realm) throws -> R) rethrows -> R {
        try queue.sync { try body(realm) }
    }

    /// Calls `body` in a write transaction on the queue and waits.
    func write<R>(_ body: (Realm) throws -> R) throws -> R {
        try perform { realm in try realm.write { try body(realm) } }
    }
}
