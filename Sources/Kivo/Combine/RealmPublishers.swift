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
/// They begin to observe on subscription, in the context to which the value is confined, and deliver there. `subscribe(on:)`
/// observes and delivers on a queue; `receive(on:)` transfers values to the realm of a queue and delivers there. A subscriber
/// receives its subscription before the observation begins. Cancelling ends the observation. Changes are coalesced, not queued,
/// and demand is not counted.
public enum RealmPublishers {
    /// A publisher that signals when a realm moves to another version, and when it should be refreshed.
    public struct RealmWillChange: Publisher {
        /// A signal, which does not say what changed.
        public typealias Output = Void
        /// The publisher does not fail.
        public typealias Failure = Never

        let realm: Realm
        var save: ((NotificationToken) -> Void)?

        /// Stores the token of each subscription in a property, to be passed to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, for keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> RealmWillChange {
            RealmWillChange(realm: realm) { object[keyPath: keyPath] = $0 }
        }

        /// Begins to observe and sends signals to the subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
            subscriber.subscribe(saving: save) { subscription in
                realm.observe { _, _ in subscription.send(()) }
            }
        }
    }

    /// A publisher that signals when an object, a projection or a collection changed. Its first call is not published.
    public struct WillChange<Subscribable: RealmSubscribable>: Publisher {
        /// A signal, which does not say what changed.
        public typealias Output = Void
        /// The publisher does not fail.
        public typealias Failure = Never

        let value: Subscribable
        var save: ((NotificationToken) -> Void)?

        init(_ value: Subscribable, save: ((NotificationToken) -> Void)? = nil) {
            self.value = value
            self.save = save
        }

        /// Stores the token of each subscription in a property, to be passed to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, at keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> WillChange { WillChange(value) { object[keyPath: keyPath] = $0 } }

        /// Begins to observe and sends signals to the subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
            subscriber.subscribe(saving: save) { subscription in
                value._observe(nil, on: nil) { event in
                    switch event {
                    case .initial: break
                    case .changed: subscription.send(())
                    case .ended: subscription.finish()
                    }
                }
            }
        }
    }

    /// A publisher of an object, a projection or a collection whenever it changed; of a collection also at the beginning. It
    /// finishes when an object is deleted.
    public struct Value<Subscribable: RealmSubscribable>: Publisher {
        /// The value itself.
        public typealias Output = Subscribable
        /// Never sent. Declared for compatibility: the publishers of the established API can fail.
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

        /// Stores the token of each subscription in a property, to be passed to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, at keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> Value { Value(value, keyPaths: keyPaths, queue: queue) { object[keyPath: keyPath] = $0 } }

        /// Observes on a serial queue. The published values belong to that queue's realm.
        public func subscribe(on queue: DispatchQueue) -> Value {
            Value(value, keyPaths: keyPaths, queue: queue, save: save)
        }

        /// Begins to observe and sends values to the subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subscriber.subscribe(saving: save) { subscription in
                value._observe(keyPaths, on: queue) { event in
                    switch event {
                    case .initial(let value), .changed(let value): subscription.send(value as! Subscribable)
                    case .ended: subscription.finish()
                    }
                }
            }
        }
    }

    /// A publisher of the changes of an observed value. See ``ObjectChangeset``,
    /// ``CollectionChangeset`` and ``MapChangeset``.
    public struct Changeset<Change>: Publisher {
        /// The change that observers receive.
        public typealias Output = Change
        /// The publisher does not fail.
        public typealias Failure = Never

        let observe: (DispatchQueue?, @escaping (Change) -> Void) -> NotificationToken
        /// Whether a change ends the publisher. Such a change is not published.
        let isEnd: (Change) -> Bool
        var queue: DispatchQueue?
        var save: ((NotificationToken) -> Void)?

        init(
            isEnd: @escaping (Change) -> Bool = { _ in false },
            _ observe: @escaping (DispatchQueue?, @escaping (Change) -> Void) -> NotificationToken
        ) {
            (self.observe, self.isEnd) = (observe, isEnd)
        }

        /// Stores the token of each subscription in a property, to be passed to `withoutNotifying:`.
        public func saveToken<Owner: AnyObject>(
            on object: Owner, at keyPath: ReferenceWritableKeyPath<Owner, NotificationToken?>
        ) -> Changeset {
            var changed = self
            changed.save = { object[keyPath: keyPath] = $0 }
            return changed
        }

        /// Observes on a serial queue. The published values belong to that queue's realm.
        public func subscribe(on queue: DispatchQueue) -> Changeset {
            var changed = self
            changed.queue = queue
            return changed
        }

        /// Begins to observe and sends changes to the subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            subscriber.subscribe(saving: save) { subscription in
                observe(queue) { [isEnd] change in
                    if isEnd(change) { subscription.finish() } else { subscription.send(change) }
                }
            }
        }
    }

    /// A publisher of the changes of an object or a projection. It finishes when the object is deleted, without a last change.
    public typealias ObjectChangeset<T> = Changeset<ObjectChange<T>>
    /// A publisher of the changes of a collection, `.initial` first.
    public typealias CollectionChangeset<Collection> = Changeset<RealmCollectionChange<Collection>>
    /// A publisher of the changes of a map, `.initial` first.
    public typealias MapChangeset<Collection: RealmKeyedCollection> = Changeset<RealmMapChange<Collection>>
    /// A publisher of the changes of sectioned results, `.initial` first.
    public typealias SectionedResultsChangeset<Collection: RealmSectionedResult> = Changeset<
        SectionedResultsChange<Collection>
    >
    /// A publisher of the changes of one section, `.initial` first.
    public typealias SectionChangeset<Collection: RealmSectionedResult> = Changeset<
        SectionedResultsChange<Collection>
    >
}
#endif
