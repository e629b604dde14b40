import Dispatch

extension Realm {
    /// The condition for downloading a realm from a server before it opens. There is no server: all realms open immediately with
    /// their local data.
    @frozen public enum OpenBehavior: Sendable {
        /// Never.
        case never
        /// Every time.
        case always
        /// On the first opening.
        case once
    }

    /// The actor on which an asynchronous opening is called.
    ///
    /// If the compiler says that `nil` is not compatible with this type, the call is in an asynchronous function, or a task, that
    /// belongs to no actor, and continues on another thread behind each `await`. Make it a method of an actor or `@MainActor`.
    /// Otherwise open and use the realm in a function that is not `async`, by `try Realm(configuration:)`; see
    /// <doc:SwiftConcurrency>.
    public typealias CallerMustRunOnAnActor = any Actor

    /// Opens a realm of the actor on which the caller runs, as ``open(configuration:_isolation:downloadBeforeOpen:)`` does. On the
    /// main actor, the instance is the one that `Realm()` opens on the main thread.
    ///
    /// The file is read on another thread. A caller that runs on no actor does not compile; see ``CallerMustRunOnAnActor``.
    ///
    /// From realm-swift's page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - configuration: The realm to open.
    ///   - _isolation: The isolation of the caller; do not pass it.
    ///   - downloadBeforeOpen: Ignored: there is no server.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public init(
        configuration: Configuration = .defaultConfiguration,
        _isolation: isolated CallerMustRunOnAnActor = #isolation, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        self = try await Realm.open(configuration: configuration)
    }

    /// Opens a realm of an actor. Only the actor may use it: the caller must be isolated to the actor, or pass the realm to it.
    ///
    /// The compiler checks that for `Realm.open(configuration:downloadBeforeOpen:)`.
    ///
    /// - Parameters:
    ///   - configuration: The realm to open.
    ///   - actor: The actor to which the realm belongs.
    ///   - downloadBeforeOpen: Ignored: there is no server.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        self = await Realm.of(actor, try await Opening(configuration)).realm
    }

    /// Opens a realm of the actor on which the caller runs. The realm, its objects and its collections can be used after every
    /// `await`. It advances to new versions automatically, and its observers are called on the actor.
    ///
    /// The file is read on another thread. Opening the same data again on the same actor returns the same instance. A caller that
    /// runs on no actor does not compile; see ``CallerMustRunOnAnActor``. The realm does not retain its actor.
    ///
    ///     actor Notes {
    ///         private var realm: Realm?
    ///
    ///         func open() async throws { realm = try await Realm.open() }
    ///     }
    ///
    /// - Parameters:
    ///   - configuration: The realm to open.
    ///   - _isolation: The isolation of the caller; do not pass it.
    ///   - downloadBeforeOpen: Ignored: there is no server.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation: isolated CallerMustRunOnAnActor = #isolation, downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        let opening = try await Opening(configuration)
        return Realm(opening.store.instance(of: _isolation, opening.configuration))
    }

    private static func of(_ actor: isolated any Actor, _ opening: Opening) -> Opened {
        Opened(realm: Realm(opening.store.instance(of: actor, opening.configuration)))
    }

    /// A realm on its way from its actor to the caller, who will use it on the actor.
    private struct Opened: @unchecked Sendable {
        let realm: Realm
    }
}

/// The open store of a configuration. Opening blocks, so it runs on a thread that may wait, not on that of an actor.
private struct Opening: Sendable {
    let configuration: Realm.Configuration
    let store: Store

    nonisolated init(_ configuration: Realm.Configuration) async throws {
        self.configuration = try configuration.resolved()
        store = try StoreOpening.run(self.configuration)
    }
}
