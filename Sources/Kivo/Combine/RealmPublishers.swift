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
/// They begin to observe when they are subscribed to, where the value belongs, and deliver there. `subscribe(on:)` observes and
/// delivers on a queue; `receive(on:)` hands values over to the realm of a queue and delivers there. A subscriber has its
/// subscription before the observation begins. Cancelling ends the observation. Changes are coalesced, not queued, and demand is not counted.
public enum RealmPublishers {
    /// Publishes whenever a realm moves to another version, and when it should be refreshed.
    public struct RealmWillChange: Publisher {
        /// A signal, which does not say what changed.
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
            subscriber.subscribe(saving: save) { subscription in
                realm.observe { _, _ in subscription.send(()) }
            }
        }
    }

    /// Publishes whenever an object, a projection or a collection changed. Its first call is not published.
    public struct WillChange<Subscribable: RealmSubscribable>: Publisher {
        /// A signal, which does not say what changed.
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

    /// Publishes the changes of something that is observed with one block. See ``ObjectChangeset``,
    /// ``CollectionChangeset`` and ``MapChangeset``.
    public struct Changeset<Change>: Publisher {
        /// A change, as observers receive it.
        public typealias Output = Change
        /// It does not fail.
        public typealias Failure = Never

        let observe: (DispatchQueue?, @escaping (Change) -> Void) -> NotificationToken
        /// Whether a change is the end, which is not published.
        let isEnd: (Change) -> Bool
        var queue: DispatchQueue?
        var save: ((NotificationToken) -> Void)?

        init(
            isEnd: @escaping (Change) -> Bool = { _ in false },
            _ observe: @escaping (DispatchQueue?, @escaping (Change) -> Void) -> NotificationToken
        ) {
            (self.observe, self.isEnd) = (observe, isEnd)
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
            subscriber.subscribe(saving: save) { subscription in
                observe(queue) { [isEnd] change in
                    if isEnd(change) { subscription.finish() } else { subscription.send(change) }
                }
            }
        }
    }

    /// Publishes the changes of an object or a projection, and finishes when it is deleted, without a last change.
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
