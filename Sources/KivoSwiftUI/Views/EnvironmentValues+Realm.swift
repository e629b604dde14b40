#if canImport(SwiftUI)
import Kivo
import SwiftUI

/// The realm of a hierarchy of views: how it is opened and, if it was given open, the realm itself, which stays open with it.
private struct RealmEnvironment {
    let configuration: Realm.Configuration
    var realm: Realm?
}

private struct RealmEnvironmentKey: EnvironmentKey {
    static var defaultValue: RealmEnvironment? { nil }
}

extension EnvironmentValues {
    /// The configuration that `@ObservedResults`, `@ObservedSectionedResults` and `@AutoOpen` open their realm with. The default
    /// configuration if none was set.
    public var realmConfiguration: Realm.Configuration {
        get { self[RealmEnvironmentKey.self]?.configuration ?? .defaultConfiguration }
        set { self[RealmEnvironmentKey.self] = RealmEnvironment(configuration: newValue) }
    }

    /// The realm of the views. Setting it sets ``realmConfiguration``, and keeps the realm open: also one in memory, as previews have.
    ///
    /// Reading it opens the realm for the main actor, and traps if it cannot be opened.
    public var realm: Realm {
        get {
            if let realm = self[RealmEnvironmentKey.self]?.realm, !realm.isFrozen { return realm }
            do {
                return try Realm(configuration: realmConfiguration)
            } catch {
                fatalError("The realm of the environment could not be opened: \(error).")
            }
        }
        set {
            self[RealmEnvironmentKey.self] = RealmEnvironment(
                configuration: newValue.configuration, realm: newValue)
        }
    }

    /// Unavailable: realms are not divided into partitions.
    @available(
        *, unavailable,
        message:
            "there is no server with partitions: give each user a file, '.environment(\\.realmConfiguration, …)'"
    )
    public var partitionValue: String? {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }
}
#endif
