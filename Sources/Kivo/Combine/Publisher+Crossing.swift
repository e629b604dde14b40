#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif
import Dispatch

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
    where Output == RealmCollectionChange<T> { map { $0.mapCollection { $0.freeze() } } }

    /// Publishes changes with frozen maps, which can be used on any thread.
    public func freeze<T: RealmKeyedCollection>() -> Publishers.Map<Self, RealmMapChange<T>>
    where Output == RealmMapChange<T> { map { $0.mapMap { $0.freeze() } } }

    /// Publishes changes with frozen sections, which can be used on any thread. A block that says the key is called there.
    public func freeze<T: RealmSectionedResult>() -> Publishers.Map<Self, SectionedResultsChange<T>>
    where Output == SectionedResultsChange<T> { map { $0.mapSections { $0.freeze() } } }

    /// Makes `receive(on:)`, which has to follow, hand values over to the realm of a queue.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == T {
        RealmPublishers.MakeThreadSafe(upstream: self) { value in
            let depart = RealmPublishers.departure(value)
            return { depart($0) }
        }
    }

    /// Makes `receive(on:)`, which has to follow, hand the objects of changes over to the realm of a queue. A change of an
    /// object that is gone by then is not published.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == ObjectChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            guard case .change(let object, let properties) = change else { return { _ in change } }
            let depart = RealmPublishers.departure(object)
            return { queue in depart(queue).map { .change($0, properties) } }
        }
    }

    /// Makes `receive(on:)`, which has to follow, hand the collections of changes over to the realm of a queue.
    public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == RealmCollectionChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            guard let collection = change.collection else { return { _ in change } }
            let depart = RealmPublishers.departure(collection)
            return { queue in depart(queue).map { moved in change.mapCollection { _ in moved } } }
        }
    }

    /// Makes `receive(on:)`, which has to follow, hand the maps of changes over to the realm of a queue.
    public func threadSafeReference<T: RealmKeyedCollection>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == RealmMapChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            guard let map = change.map else { return { _ in change } }
            let depart = RealmPublishers.departure(map)
            return { queue in depart(queue).map { moved in change.mapMap { _ in moved } } }
        }
    }

    /// Makes `receive(on:)`, which has to follow, hand the sections of changes over to the realm of a queue.
    public func threadSafeReference<T: RealmSectionedResult>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == SectionedResultsChange<T> {
        RealmPublishers.MakeThreadSafe(upstream: self) { change in
            let depart = RealmPublishers.departure(change.sections)
            return { queue in depart(queue).map { moved in change.mapSections { _ in moved } } }
        }
    }
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

    fileprivate func mapCollection(_ transform: (CollectionType) -> CollectionType) -> RealmCollectionChange {
        switch self {
        case .initial(let collection): .initial(transform(collection))
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                transform(collection), deletions: deletions, insertions: insertions,
                modifications: modifications)
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
    /// What leaves its realm, and how it arrives in that of a queue; nil if it is gone there. Frozen values are the same
    /// everywhere.
    static func departure<T: ThreadConfined>(_ value: T) -> (DispatchQueue?) -> T? {
        guard let realm = value.realm, !value.isFrozen else { return { _ in value } }
        let (configuration, reference) = (realm.configuration, ThreadSafeReference(to: value))
        return { queue in
            guard let realm = try? Realm(configuration: configuration, queue: queue) else { return nil }
            return realm.resolve(reference)
        }
    }

    /// A publisher whose values are handed over to the realm of a queue by `receive(on:)`, which has to follow.
    public struct MakeThreadSafe<Upstream: Publisher> {
        let upstream: Upstream
        /// How a value leaves, and arrives on a queue.
        let depart: (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?

        /// Publishes on a serial queue what belongs to that queue's realm. What is gone by then is not published.
        public func receive(on queue: DispatchQueue) -> Handover<Upstream> {
            Handover(upstream: upstream, depart: depart, queue: queue)
        }
    }

    /// Publishes on a queue what belongs to that queue's realm; see ``MakeThreadSafe/receive(on:)``.
    public struct Handover<Upstream: Publisher>: Publisher {
        /// What the publisher before publishes.
        public typealias Output = Upstream.Output
        /// How the publisher before fails.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let depart: (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?
        let queue: DispatchQueue

        /// Subscribes to the publisher before.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.receive(
                subscriber: HandoverSubscriber<Upstream, S>(
                    subscriber: subscriber, depart: depart, queue: queue))
        }
    }

    private final class HandoverSubscriber<Upstream: Publisher, Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        typealias Input = Upstream.Output
        typealias Failure = Upstream.Failure

        private let subscriber: Downstream
        private let depart: (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?
        private let queue: DispatchQueue

        init(
            subscriber: Downstream,
            depart: @escaping (Upstream.Output) -> (DispatchQueue?) -> Upstream.Output?,
            queue: DispatchQueue
        ) {
            (self.subscriber, self.depart, self.queue) = (subscriber, depart, queue)
        }

        func receive(subscription: any Subscription) { subscriber.receive(subscription: subscription) }

        func receive(_ input: Input) -> Subscribers.Demand {
            let (arrive, queue) = (depart(input), queue)
            perform { subscriber in
                guard let value = arrive(queue) else { return }
                _ = subscriber.receive(value)
            }
            return .unlimited
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            perform { $0.receive(completion: completion) }
        }

        private func perform(_ body: @escaping (Downstream) -> Void) {
            let call = QueueCall { [subscriber] in body(subscriber) }
            queue.async { call.body() }
        }
    }
}

/// A call of a subscriber that is carried to a queue, on which it is called from then on, one call at a time; of the value there is
/// only a thread-safe reference.
private struct QueueCall: @unchecked Sendable {
    let body: () -> Void
}
#endif
