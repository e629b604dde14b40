#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif
import Foundation

extension Subscriber {
    /// Passes the subscriber its subscription, and then begins the observation.
    ///
    /// An observation on another queue can deliver before its token is returned here. A subscriber without a subscription would
    /// ignore that value.
    ///
    /// - Parameters:
    ///   - save: receives the observation's token.
    ///   - observe: begins the observation, which sends its values to the subscription. It is not called if the subscriber
    ///   cancels at once.
    func subscribe(
        saving save: ((NotificationToken) -> Void)?,
        _ observe: (ObservationSubscription<Self>) -> NotificationToken
    ) {
        let subscription = ObservationSubscription(self)
        receive(subscription: subscription)
        if subscription.isCancelled { return }
        let token = observe(subscription)
        save?(token)
        subscription.hold(token)
    }
}

/// A subscription to an observation. It ends with `cancel()` or a completion, which release the subscriber and the token. Either
/// can happen on any thread, and before the token is stored.
final class ObservationSubscription<Downstream: Subscriber>: Subscription {
    private let lock = NSLock()
    private var subscriber: Downstream?
    private var token: NotificationToken?

    init(_ subscriber: Downstream) { self.subscriber = subscriber }

    var isCancelled: Bool { lock.withLock { subscriber == nil } }

    /// Stores the token of the observation, or ends the observation if the subscription has ended meanwhile.
    func hold(_ token: NotificationToken) {
        let isCancelled = lock.withLock {
            if subscriber != nil { self.token = token }
            return subscriber == nil
        }
        if isCancelled { token.invalidate() }
    }

    /// Demand is not counted: changes are coalesced, not queued.
    func request(_ demand: Subscribers.Demand) {}

    func send(_ value: Downstream.Input) { _ = lock.withLock { subscriber }?.receive(value) }

    func finish() { end()?.receive(completion: .finished) }

    func cancel() { _ = end() }

    /// Ends the observation. Returns the subscriber on the first call, and nil afterwards.
    private func end() -> Downstream? {
        let (ended, token) = lock.withLock {
            defer { (self.subscriber, self.token) = (nil, nil) }
            return (self.subscriber, self.token)
        }
        token?.invalidate()
        return ended
    }
}
#endif
