#if KIVO_COMBINE_DOUBLE
// The part of Combine that Kivo's publishers need, to compile and run them on platforms without it. `CombineTests` compiles
// this file together with them.
import Dispatch

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable { func cancel() }

public protocol Subscription: Cancellable, AnyObject { func request(_ demand: Subscribers.Demand) }

public enum Subscribers {
    public struct Demand: Comparable {
        var count: Int
        public static var unlimited: Demand { Demand(count: .max) }
        public static var none: Demand { Demand(count: 0) }
        public static func max(_ count: Int) -> Demand { Demand(count: count) }
        public static func < (a: Demand, b: Demand) -> Bool { a.count < b.count }
        public static func += (a: inout Demand, b: Demand) {
            let (sum, isOver) = a.count.addingReportingOverflow(b.count)
            a.count = isOver ? .max : sum
        }
        public static func -= (a: inout Demand, b: Int) { if a.count != .max { a.count -= b } }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

public enum Publishers {
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let transform: (Upstream.Output) -> Output

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let transform = transform
            upstream.receive(
                subscriber: Sink<Upstream.Output, Failure>(
                    onSubscription: { subscriber.receive(subscription: $0) },
                    onValue: { _ = subscriber.receive(transform($0)) },
                    onCompletion: { subscriber.receive(completion: $0) }))
        }
    }
}

extension Publisher {
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }

    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void = { _ in },
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let cancellable = AnyCancellable()
        receive(
            subscriber: Sink<Output, Failure>(
                onSubscription: { [weak cancellable] in cancellable?.subscription = $0 },
                onValue: receiveValue,
                onCompletion: receiveCompletion))
        return cancellable
    }
}

public final class AnyCancellable: Cancellable {
    var subscription: (any Subscription)?
    public func cancel() {
        subscription?.cancel()
        subscription = nil
    }
    deinit { cancel() }
}

final class Sink<Input, Failure: Error>: Subscriber {
    let onSubscription: (any Subscription) -> Void
    let onValue: (Input) -> Void
    let onCompletion: (Subscribers.Completion<Failure>) -> Void

    init(
        onSubscription: @escaping (any Subscription) -> Void, onValue: @escaping (Input) -> Void,
        onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        (self.onSubscription, self.onValue, self.onCompletion) = (onSubscription, onValue, onCompletion)
    }

    func receive(subscription: any Subscription) {
        onSubscription(subscription)
        subscription.request(.unlimited)
    }
    func receive(_ input: Input) -> Subscribers.Demand {
        onValue(input)
        return .none
    }
    func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher where ObjectWillChangePublisher.Failure == Never
    var objectWillChange: ObjectWillChangePublisher { get }
}
#endif
