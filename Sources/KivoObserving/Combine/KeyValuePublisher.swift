#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import KivoObserving
#endif
#if canImport(Combine)
import Combine
#endif
import Foundation

extension KeyValueObservable {
    /// Returns a publisher of the values of a key path, by the name that Foundation's publisher for `NSObject` has.
    ///
    /// The publisher and its subscriptions retain the object, and do not finish. Values are published inside of each assignment, on
    /// the thread that assigns. While a subscriber has no demand, the newest value waits for it.
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - options: with `initial` the current value is published first; others are ignored.
    /// - Precondition: The key path can be observed, see ``observe(_:options:changeHandler:)``.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValuePublisher<Self, Value> {
        KeyValuePublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// A publisher of the values of an observed key path.
public struct KeyValuePublisher<Subject: KeyValueObservable, Output>: Publisher {
    /// The publisher does not fail.
    public typealias Failure = Never

    /// The observed object.
    public let object: Subject
    /// The observed key path.
    public let keyPath: KeyPath<Subject, Output>
    /// The options of the observation.
    public let options: NSKeyValueObservingOptions

    /// Creates a publisher of the values of a key path.
    public init(object: Subject, keyPath: KeyPath<Subject, Output>, options: NSKeyValueObservingOptions) {
        (self.object, self.keyPath, self.options) = (object, keyPath, options)
    }

    /// Passes the subscriber its subscription, and begins to observe.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let subscription = KeyValueSubscription(subscriber, object)
        subscriber.receive(subscription: subscription)
        let keyPath = keyPath
        let token = object.observe(keyPath, options: options.intersection(.initial).union(.new)) {
            object, change in
            // Changes with positions have only the elements at these.
            let value = change.kind == .setting ? change.newValue : object[keyPath: keyPath]
            if let value { subscription.receive(value) }
        }
        subscription.hold(token)
    }
}

/// A subscription to the values of a key path, which any thread may send, request or cancel.
private final class KeyValueSubscription<Downstream: Subscriber>: Subscription {
    private struct State {
        var subscriber: Downstream?
        var object: AnyObject?
        var token: KeyValueObservation?
        var demand = Subscribers.Demand.none
        /// The newest value, for which there was no demand yet.
        var waiting: Downstream.Input?
        /// Whether the subscriber is receiving a value. It receives one after the other.
        var isSending = false

        /// Returns the subscriber and the value that it takes now, if there are both.
        mutating func takeDue() -> (Downstream, Downstream.Input)? {
            guard !isSending, let subscriber, demand > .none, let value = waiting.take() else { return nil }
            demand -= 1
            isSending = true
            return (subscriber, value)
        }
    }

    private let lock = NSLock()
    private var state: State

    init(_ subscriber: Downstream, _ object: AnyObject) {
        state = State(subscriber: subscriber, object: object)
    }

    /// Stores the token of the observation, or ends the observation if the subscription was cancelled meanwhile.
    func hold(_ token: KeyValueObservation) {
        let isCancelled = lock.withLock {
            if state.subscriber != nil { state.token = token }
            return state.subscriber == nil
        }
        if isCancelled { token.invalidate() }
    }

    func receive(_ value: Downstream.Input) {
        // The value that is replaced is released outside of the lock, because that may run code of the app.
        let replaced = lock.withLock { () -> Downstream.Input? in
            let replaced = state.waiting
            if state.subscriber != nil { state.waiting = value }
            return replaced
        }
        withExtendedLifetime(replaced) {}
        sendDue()
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { state.demand += demand }
        sendDue()
    }

    private func sendDue() {
        while let (subscriber, value) = lock.withLock({ state.takeDue() }) {
            let more = subscriber.receive(value)
            lock.withLock {
                state.isSending = false
                state.demand += more
            }
        }
    }

    func cancel() {
        let ended = lock.withLock {
            let ended = state
            state = State()
            return ended
        }
        ended.token?.invalidate()
    }
}
#endif
