import Dispatch

extension Realm {
    /// When a realm is brought up to date with a server before it is opened. There is none: all open at once what is there.
    @frozen public enum OpenBehavior: Sendable {
        /// Never.
        case never
        /// Every time.
        case always
        /// When it is opened for the first time.
        case once
    }

    /// Opens a realm of the main actor.
    ///
    /// The file is read elsewhere meanwhile. The instance is the one that `Realm()` opens on the main thread.
    ///
    /// From the reference page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - configuration: what to open.
    ///   - downloadBeforeOpen: accepted, and of no effect: there is no server.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let opening = try await Opening(configuration)
        self.init(opening.store.instance(of: MainActor.shared, opening.configuration))
    }

    /// Opens a realm of an actor, which alone may use it: the caller has to be isolated to it, or to hand it on to it.
    ///
    /// `Realm.open(configuration:downloadBeforeOpen:)` has the compiler see to that.
    ///
    /// - Parameters:
    ///   - configuration: what to open.
    ///   - actor: whose realm it will be.
    ///   - downloadBeforeOpen: accepted, and of no effect: there is no server.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        self = await Realm.of(actor, try await Opening(configuration)).realm
    }

    /// Opens a realm of the actor on which the caller runs. It can be kept across every `await`, with its objects and
    /// collections, moves to new versions on its own, and its observers are called on the actor.
    ///
    /// The file is read elsewhere meanwhile. Opening the same data again on the same actor gives the same instance. A caller
    /// that runs on no actor does not compile. The realm does not keep its actor alive.
    ///
    ///     actor Notes {
    ///         private var realm: Realm?
    ///
    ///         func open() async throws { realm = try await Realm.open() }
    ///     }
    ///
    /// - Parameters:
    ///   - configuration: what to open.
    ///   - _isolation: where the caller runs; not to be passed.
    ///   - downloadBeforeOpen: accepted, and of no effect: there is no server.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public static func open(
        configuration: Configuration = .defaultConfiguration, _isolation: isolated any Actor = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        let opening = try await Opening(configuration)
        return Realm(opening.store.instance(of: _isolation, opening.configuration))
    }

    private static func of(_ actor: isolated any Actor, _ opening: Opening) -> Opened {
        Opened(realm: Realm(opening.store.instance(of: actor, opening.configuration)))
    }

    /// Carries a realm from its actor to who asked for it, and will use it there.
    private struct Opened: @unchecked Sendable {
        let realm: Realm
    }
}

/// The open store of a configuration. Opening it takes a thread that may wait, not that of an actor.
private struct Opening: Sendable {
    let configuration: Realm.Configuration
    let store: Store

    nonisolated init(_ configuration: Realm.Configuration) async throws {
        self.configuration = try configuration.resolved()
        store = try Stores.open(self.configuration)
    }
}
