#if canImport(Combine) || KIVO_COMBINE_DOUBLE
#if KIVO_COMBINE_DOUBLE
import Kivo
#endif
#if canImport(Combine)
import Combine
#endif
import Dispatch

/// The publishers of realms, objects, projections and collections.
///
/// They begin to observe when they are subscribed to, where the value belongs, and deliver there, or on the queue of
/// `subscribe(on:)`, or of `receive(on:)`. Cancelling ends the observation. Changes are coalesced, not queued, and demand is
/// not counted.
public enum RealmPublishers {
    /// What a subscription of any of the publishers is.
    final class ObservationSubscription: Subscription {
        private var token: NotificationToken?

        init(_ token: NotificationToken) { self.token = token }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() {
            token?.invalidate()
            token = nil
        }
    }

    /// Publishes whenever a realm moves to another version, and when it should be refreshed.
    public struct RealmWillChange: Publisher {
        /// Nothing is said of what changed.
        public typealias Output = Void
        /// It does not fail.
        public typealias Failure = Never

        let realm: Realm
        var save: ((NotificationToken) -> Void)?

        /// Stores the token of each subscription in a property, to be given to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, for keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> RealmWillChange {
            RealmWillChange(realm: realm) { object[keyPath: keyPath] = $0 }
        }

        /// Begins to observe.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
            let token = realm.observe { _, _ in _ = subscriber.receive(()) }
            save?(token)
            subscriber.receive(subscription: ObservationSubscription(token))
        }
    }

    /// Publishes whenever an object, a projection or a collection changed. Its first call is not published.
    public struct WillChange<Subscribable: RealmSubscribable>: Publisher {
        /// Nothing is said of what changed.
        public typealias Output = Void
        /// It does not fail.
        public typealias Failure = Never

        let value: Subscribable
        var save: ((NotificationToken) -> Void)?

        init(_ value: Subscribable, save: ((NotificationToken) -> Void)? = nil) {
            self.value = value
            self.save = save
        }

        /// Stores the token of each subscription in a property, to be given to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, at keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> WillChange { WillChange(value) { object[keyPath: keyPath] = $0 } }

        /// Begins to observe.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
            let token = value._observe(nil, on: nil) { event in
                switch event {
                case .initial: break
                case .changed: _ = subscriber.receive(())
                case .ended: subscriber.receive(completion: .finished)
                }
            }
            save?(token)
            subscriber.receive(subscription: ObservationSubscription(token))
        }
    }

    /// Publishes an object, a projection or a collection whenever it changed; a collection also at the beginning. Finishes
    /// when an object is deleted.
    public struct Value<Subscribable: RealmSubscribable>: Publisher {
        /// The value itself.
        public typealias Output = Subscribable
        /// Never sent; the reference's publishers can fail.
        public typealias Failure = any Error

        let value: Subscribable
        let keyPaths: [String]?
        var queue: DispatchQueue?
        var save: ((NotificationToken) -> Void)?

        init(
            _ value: Subscribable, keyPaths: [String]? = nil, queue: DispatchQueue? = nil,
            save: ((NotificationToken) -> Void)? = nil
        ) {
            (self.value, self.keyPaths, self.queue, self.save) = (value, keyPaths, queue, save)
        }

        /// Stores the token of each subscription in a property, to be given to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, at keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> Value { Value(value, keyPaths: keyPaths, queue: queue) { object[keyPath: keyPath] = $0 } }

        /// Observes on a serial queue: what is published belongs to that queue's realm.
        public func subscribe(on queue: DispatchQueue) -> Value {
            Value(value, keyPaths: keyPaths, queue: queue, save: save)
        }

        /// Begins to observe.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let token = value._observe(keyPaths, on: queue) { event in
                switch event {
                case .initial(let value), .changed(let value): _ = subscriber.receive(value as! Subscribable)
                case .ended: subscriber.receive(completion: .finished)
                }
            }
            save?(token)
            subscriber.receive(subscription: ObservationSubscription(token))
        }
    }

    /// Publishes the changes of something that is observed with one block. See ``ObjectChangeset``,
    /// ``CollectionChangeset`` and ``MapChangeset``.
    public struct Changeset<Change>: Publisher {
        /// What a listener is told.
        public typealias Output = Change
        /// It does not fail.
        public typealias Failure = Never

        let observe: (DispatchQueue?, @escaping (Change) -> Void) -> NotificationToken
        let isLast: (Change) -> Bool
        var queue: DispatchQueue?
        var save: ((NotificationToken) -> Void)?

        init(
            isLast: @escaping (Change) -> Bool = { _ in false },
            _ observe: @escaping (DispatchQueue?, @escaping (Change) -> Void) -> NotificationToken
        ) {
            (self.observe, self.isLast) = (observe, isLast)
        }

        /// Stores the token of each subscription in a property, to be given to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, at keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> Changeset {
            var changed = self
            changed.save = { object[keyPath: keyPath] = $0 }
            return changed
        }

        /// Observes on a serial queue: what is published belongs to that queue's realm.
        public func subscribe(on queue: DispatchQueue) -> Changeset {
            var changed = self
            changed.queue = queue
            return changed
        }

        /// Begins to observe.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            let isLast = isLast
            let token = observe(queue) { change in
                _ = subscriber.receive(change)
                if isLast(change) { subscriber.receive(completion: .finished) }
            }
            save?(token)
            subscriber.receive(subscription: ObservationSubscription(token))
        }
    }

    /// Publishes the changes of an object or a projection, and finishes after its deletion.
    public typealias ObjectChangeset<T> = Changeset<ObjectChange<T>>
    /// Publishes the changes of a collection, `.initial` first.
    public typealias CollectionChangeset<Collection> = Changeset<RealmCollectionChange<Collection>>
    /// Publishes the changes of a map, `.initial` first.
    public typealias MapChangeset<Collection: RealmKeyedCollection> = Changeset<RealmMapChange<Collection>>
    /// Publishes the changes of sectioned results, `.initial` first.
    public typealias SectionedResultsChangeset<Collection: RealmSectionedResult> = Changeset<
        SectionedResultsChange<Collection>
    >
    /// Publishes the changes of one section, `.initial` first.
    public typealias SectionChangeset<Collection: RealmSectionedResult> = Changeset<
        SectionedResultsChange<Collection>
    >
}
#endif
