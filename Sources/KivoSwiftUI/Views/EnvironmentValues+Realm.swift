#if canImport(SwiftUI)
import Kivo
import SwiftUI

/// The realm of a view hierarchy: its configuration and, if it was set open, the realm itself, which this keeps open.
private struct RealmEnvironment {
    let configuration: Realm.Configuration
    var realm: Realm?
}

private struct RealmEnvironmentKey: EnvironmentKey {
    static var defaultValue: RealmEnvironment? { nil }
}

extension EnvironmentValues {
    /// The configuration with which `@ObservedResults`, `@ObservedSectionedResults` and `@AutoOpen` open their realm. The default
    /// configuration if none was set.
    public var realmConfiguration: Realm.Configuration {
        get { self[RealmEnvironmentKey.self]?.configuration ?? .defaultConfiguration }
        set { self[RealmEnvironmentKey.self] = RealmEnvironment(configuration: newValue) }
    }

    /// The realm of the views. Setting it sets ``realmConfiguration``, and keeps the realm open. It can be an in-memory realm,
    /// for example in previews.
    ///
    /// Reading it opens the realm for the main actor.
    ///
    /// - Precondition: The realm can be opened.
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
