#if canImport(SwiftUI)
import Combine
import Kivo
import SwiftUI

/// The opening of a realm that takes longer, for example because of a migration or a recovery of the file.
///
///     @AutoOpen var opening
///
///     var body: some View {
///         switch opening {
///         case .connecting: ProgressView()
///         case .open(let realm): DogList().environment(\.realm, realm)
///         case .error(let error): Text(error.localizedDescription)
///         }
///     }
///
/// The opening begins when the state is first read. It runs off the main actor; the opened realm belongs to the main actor. A new
/// configuration in the declaration or in the environment opens the realm again.
@MainActor
@propertyWrapper public struct AutoOpen: DynamicProperty {
    @Environment(\.realmConfiguration) private var environment
    @StateObject private var storage: OpeningStorage
    private let configuration: Realm.Configuration?

    /// Opens a realm.
    ///
    /// - Parameter configuration: The configuration of the realm; nil for the environment's configuration.
    public init(configuration: Realm.Configuration? = nil) {
        let storage = OpeningStorage(configuration)
        _storage = StateObject(wrappedValue: storage)
        self.configuration = configuration
    }

    /// The state of the opening.
    public var wrappedValue: AsyncOpenState { storage.state }

    /// A publisher of the state. It publishes the state immediately and after each change.
    public var projectedValue: some Publisher<AsyncOpenState, Never> { OpeningPublisher(storage: storage) }

    /// Cancels the opening. The state does not change.
    public func cancel() { storage.cancel() }

    /// Adopts the declaration and the environment before the body is evaluated. Called by SwiftUI.
    nonisolated public func update() {
        MainActor.assumeIsolated { storage.update(configuration, environment: environment) }
    }
}

/// A publisher of the states of an opening.
private struct OpeningPublisher: Publisher {
    typealias Output = AsyncOpenState
    typealias Failure = Never

    let storage: OpeningStorage

    func receive<S: Subscriber>(subscriber: S) where S.Input == AsyncOpenState, S.Failure == Never {
        MainActor.pass(subscriber) { subscriber in
            let subscription = storage.relay.subscribe { _ = subscriber.receive(storage.state) }
            subscriber.receive(subscription: RelaySubscription(subscription))
            _ = subscriber.receive(storage.state)
        }
    }
}
#endif
