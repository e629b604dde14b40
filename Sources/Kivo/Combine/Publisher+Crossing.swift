#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif
import Dispatch
import Foundation

extension Publisher {
    /// Publishes frozen values, which can be used on any thread.
    public func freeze<T: ThreadConfined>() -> Publishers.Map<Self, T> where Output == T {
        map { $0.freeze() }
    }

    /// Publishes changes with frozen objects, which can be used on any thread.
    public func freeze<T: ThreadConfined>() -> Publishers.Map<Self, ObjectChange<T>>
    where Output == ObjectChange<T> { map { $0.mapObject { $0.freeze() } } }

    /// Publishes changes with frozen collections, which can be used on any thread.
    public func freeze<T: ThreadConfined>() -> Publishers.Map<Self, RealmCollectionChange<T>>
    where Output == RealmCollectionChange<T> { map { $0.withCollection { $0.freeze() } } }

    /// Publishes changes with frozen maps, which can be used on any thread.
    public func freeze<T: RealmKeyedCollection>() -> Publishers.Map<Self, RealmMapChange<T>>
    where Output == RealmMapChange<T> { map { $0.mapMap { $0.freeze() } } }

    /// Publishes changes with frozen sections, which can be used on any thread. A block that returns the keys runs there too.
    public func freeze<T: RealmSectionedResult>() -> Publishers.Map<Self, SectionedResultsChange<T>>
    where Output == SectionedResultsChange<T> { map { $0.mapSections { $0.freeze() } } }

    /// Makes the following `receive(on:)`, which is required, transfer values to the realm of a queue.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == T {
        RealmPublishers.MakeThreadSafe(upstream: self) { value in
            let depart = RealmPublishers.departure(value)
            return { depart($0) }
        }
    }

    /// Makes the following `receive(on:)`, which is required, transfer the objects of changes to the realm of a queue. A change
    /// of an object that no longer exists by then is not published.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == ObjectChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            guard case .change(let object, let properties) = change else { return { _ in change } }
            let depart = RealmPublishers.departure(object)
            return { queue in depart(queue).map { .change($0, properties) } }
        }
    }

    /// Makes the following `receive(on:)`, which is required, transfer the collections of changes to the realm of a queue.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == RealmCollectionChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            guard let collection = change.collection else { return { _ in change } }
            let depart = RealmPublishers.departure(collection)
            return { queue in depart(queue).map { moved in change.withCollection { _ in moved } } }
        }
    }

    /// Makes the following `receive(on:)`, which is required, transfer the maps of changes to the realm of a queue.
    public func threadSafeReference<T: RealmKeyedCollection>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == RealmMapChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            guard let map = change.map else { return { _ in change } }
            let depart = RealmPublishers.departure(map)
            return { queue in depart(queue).map { moved in change.mapMap { _ in moved } } }
        }
    }

    /// Makes the following `receive(on:)`, which is required, transfer the sections of changes to the realm of a queue.
    public func threadSafeReference<T: RealmSectionedResult>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == SectionedResultsChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            let depart = RealmPublishers.departure(change.sections)
            return { queue in depart(queue).map { moved in change.mapSections { _ in moved } } }
        }
    }
}

extension RealmPublishers.Value where Subscribable: ThreadConfined {
    /// Transfers values to the realm of a serial queue and publishes them there. Values that no longer exist by then are not
    /// published.
    public func receive(on queue: DispatchQueue) -> RealmPublishers.Handover<Self> {
        threadSafeReference().receive(on: queue)
    }
}

extension RealmPublishers.Changeset {
    /// Transfers the objects of changes to the realm of a serial queue and publishes the changes there. A change of an object
    /// that no longer exists by then is not published.
    public func receive<T: ThreadConfined>(on queue: DispatchQueue) -> RealmPublishers.Handover<Self>
    where Change == ObjectChange<T> { threadSafeReference().receive(on: queue) }

    /// Transfers the collections of changes to the realm of a serial queue and publishes the changes there.
    public func receive<T: ThreadConfined>(on queue: DispatchQueue) -> RealmPublishers.Handover<Self>
    where Change == RealmCollectionChange<T> { threadSafeReference().receive(on: queue) }

    /// Transfers the maps of changes to the realm of a serial queue and publishes the changes there.
    public func receive<T: RealmKeyedCollection>(on queue: DispatchQueue) -> RealmPublishers.Handover<Self>
    where Change == RealmMapChange<T> { threadSafeReference().receive(on: queue) }

    /// Transfers the sections of changes to the realm of a serial queue and publishes the changes there.
    public func receive<T: RealmSectionedResult>(on queue: DispatchQueue) -> RealmPublishers.Handover<Self>
    where Change == SectionedResultsChange<T> { threadSafeReference().receive(on: queue) }
}

extension ObjectChange {
    fileprivate func mapObject(_ transform: (T) -> T) -> ObjectChange {
        if case .change(let object, let properties) = self {
            .change(transform(object), properties)
        } else {
            self
        }
    }
}

extension RealmCollectionChange {
    fileprivate var collection: CollectionType? {
        switch self {
        case .initial(let collection), .update(let collection, _, _, _): collection
        case .error: nil
        }
    }

    /// Returns the change with another form of its collection. Only public API is used here, so that the publishers compile by
    /// themselves.
    fileprivate func withCollection(_ other: (CollectionType) -> CollectionType) -> RealmCollectionChange {
        switch self {
        case .initial(let collection): .initial(other(collection))
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                other(collection), deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self
        }
    }
}

extension RealmMapChange {
    fileprivate var map: Collection? {
        switch self {
        case .initial(let map), .update(let map, _, _, _): map
        case .error: nil
        }
    }

    fileprivate func mapMap(_ transform: (Collection) -> Collection) -> RealmMapChange {
        switch self {
        case .initial(let map): .initial(transform(map))
        case .update(let map, let deletions, let insertions, let modifications):
            .update(
                transform(map), deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self
        }
    }
}

extension SectionedResultsChange {
    fileprivate var sections: Collection {
        switch self {
        case .initial(let sections), .update(let sections, _, _, _, _, _): sections
        }
    }

    fileprivate func mapSections(_ transform: (Collection) -> Collection) -> SectionedResultsChange {
        switch self {
        case .initial(let sections): .initial(transform(sections))
        case .update(
            let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
            .update(
                transform(sections), deletions: deletions, insertions: insertions,
                modifications: modifications, sectionsToInsert: inserted, sectionsToDelete: deleted)
        }
    }
}

extension RealmPublishers {
    /// Returns a closure that finds a value in the realm of a queue, or nil if it no longer exists there. Frozen values are
    /// returned as they are.
    static func departure<T: ThreadConfined>(_ value: T) -> (DispatchQueue?) -> T? {
        guard let realm = value.realm, !value.isFrozen else { return { _ in value } }
        let (configuration, reference) = (realm.configuration, ThreadSafeReference(to: value))
        return { queue in
            guard let realm = try? Realm(configuration: configuration, queue: queue) else { return nil }
            return realm.resolve(reference)
        }
    }

    /// A publisher that must be followed by `receive(on:)`, which transfers its values to the realm of a queue.
    public struct MakeThreadSafe<Upstream: Publisher> {
        let upstream: Upstream
        /// Prepares a value for the transfer and returns a closure that finds it on a queue.
        let depart: (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?

        /// Publishes values of the realm of a serial queue. Values that no longer exist by then are not published.
        public func receive(on queue: DispatchQueue) -> Handover<Upstream> {
            Handover(upstream: upstream, depart: depart, queue: queue)
        }
    }

    /// A publisher of values of a queue's realm; see ``MakeThreadSafe/receive(on:)``.
    public struct Handover<Upstream: Publisher>: Publisher {
        /// The output of the upstream publisher.
        public typealias Output = Upstream.Output
        /// The failure of the upstream publisher.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let depart: (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?
        let queue: DispatchQueue

        /// Subscribes to the upstream publisher.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.receive(
                subscriber: HandoverSubscriber<Upstream, S>(
                    subscriber: subscriber, depart: depart, queue: queue))
        }
    }

    private final class HandoverSubscriber<Upstream: Publisher, Downstream: Subscriber>: Subscriber,
        Subscription
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        typealias Input = Upstream.Output
        typealias Failure = Upstream.Failure

        private let depart: (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?
        private let queue: DispatchQueue
        private let lock = NSLock()
        /// The subscriber and the upstream subscription, until either ends.
        private var subscriber: Downstream?
        private var subscription: (any Subscription)?
        private var isRequested = false

        init(
            subscriber: Downstream,
            depart: @escaping (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?,
            queue: DispatchQueue
        ) {
            (self.subscriber, self.depart, self.queue) = (subscriber, depart, queue)
        }

        func receive(subscription: any Subscription) {
            let subscriber = lock.withLock {
                self.subscription = subscription
                return self.subscriber
            }
            subscriber?.receive(subscription: self)
        }

        /// Requests unlimited values once. A demand from another context would publish values there, outside their queue.
        func request(_ demand: Subscribers.Demand) {
            if demand == .none { return }
            let upstream = lock.withLock {
                defer { isRequested = true }
                return isRequested ? nil : subscription
            }
            upstream?.request(.unlimited)
        }

        func cancel() { end().subscription?.cancel() }

        func receive(_ input: Input) -> Subscribers.Demand {
            let (arrive, queue) = (depart(input), queue)
            perform {
                guard let subscriber = self.lock.withLock({ self.subscriber }), let value = arrive(queue)
                else { return }
                _ = subscriber.receive(value)
            }
            return .none
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            perform { self.end().subscriber?.receive(completion: completion) }
        }

        /// Releases the subscriber and the subscription. Returns them on the first call.
        private func end() -> (subscriber: Downstream?, subscription: (any Subscription)?) {
            lock.withLock {
                defer { (self.subscriber, self.subscription) = (nil, nil) }
                return (self.subscriber, self.subscription)
            }
        }

        private func perform(_ body: @escaping () -> Void) {
            let call = QueueCall(body: body)
            queue.async { call.body() }
        }
    }
}

/// A call of a subscriber on its way to a queue. From then on the subscriber is called only there, one call at a time. The
/// closure captures only a thread-safe reference to the value.
private struct QueueCall: @unchecked Sendable {
    let body: () -> Void
}
#endif
