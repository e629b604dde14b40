#if canImport(SwiftUI)
import Combine
import SwiftUI

/// The publisher of a storage. A view's subscription to it subscribes to the storage's relay.
package struct RelayPublisher: Publisher {
    package typealias Output = Void
    package typealias Failure = Never

    let relay: ChangeRelay

    /// Subscribes on the main actor. Traps elsewhere.
    package func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        MainActor.pass(subscriber) { subscriber in
            let subscription = relay.subscribe { _ = subscriber.receive(()) }
            subscriber.receive(subscription: RelaySubscription(subscription))
        }
    }
}

/// The subscription of a view.
final class RelaySubscription: Combine.Subscription {
    private let subscription: ChangeRelay.Subscription

    init(_ subscription: ChangeRelay.Subscription) { self.subscription = subscription }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() { subscription.end() }
}

extension ValueStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: relay) }
}

extension ResultsStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: relay) }
}

extension SectionedStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: results.relay) }
}

extension OpeningStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: relay) }
}
#endif
