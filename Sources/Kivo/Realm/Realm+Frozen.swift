import KivoEngine

extension Realm {
    /// A Boolean value that indicates whether the realm is frozen: it stays at one version, and is readable on any thread.
    public var isFrozen: Bool { instance.isFrozen }

    /// Returns a frozen realm at this instance's version, for use on any thread. Inside of a write transaction this is the
    /// version before it.
    ///
    /// A frozen realm keeps its version in memory as long as the realm or any of its objects and collections exists.
    public func freeze() -> Realm { instance.isFrozen ? self : Realm(instance.frozen()) }

    /// Returns the live instance of the current queue or actor if it has one, otherwise of the current thread.
    ///
    /// - Complexity: O(instances).
    public func thaw() -> Realm { Realm(instance.thawed()) }

    /// Returns the object at this realm's version, for use on any thread; see ``freeze()-swift.method``.
    public func freeze<T: ObjectBase>(_ object: T) -> T { object.freeze() }

    /// Returns the live object of the current thread, queue or actor, or nil if it was deleted there.
    public func thaw<T: ObjectBase>(_ object: T) -> T? { object.thaw() }

    /// Returns the collection at this realm's version, for use on any thread; see ``freeze()-swift.method``.
    ///
    /// - Precondition: It is managed and was not deleted.
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
        collection.freeze()
    }

    /// Returns the live collection of the current thread, queue or actor, or nil if its owner was deleted there.
    public func thaw<Collection: RealmCollection>(_ collection: Collection) -> Collection? {
        collection.thaw()
    }
}

extension KeyValueObservable where Self: ObjectBase {
    /// Returns the current object for use on any thread; inside of a write transaction, the object before it.
    ///
    /// - Precondition: The object is managed and valid, and was not created in the open transaction.
    public func freeze() -> Self {
        guard isManaged, let instance = kivoInstance else {
            trap("An unmanaged object of class '\(Self.className())' cannot be frozen: it is in no realm.")
        }
        if instance.isFrozen { return self }
        locateOrTrap()
        return moved(to: instance.frozen())
            ?? {
                trap(
                    "An object of class '\(Self.className())' was created in this transaction and cannot be frozen yet."
                )
            }()
    }

    /// Returns the live object of the current thread, queue or actor, or nil if it was deleted there.
    ///
    /// The object is at the version of the live instance, which may be older than the frozen one, until the instance is
    /// refreshed.
    ///
    /// - Precondition: The object is managed. The value is managed.
    public func thaw() -> Self? {
        guard isManaged, let instance = kivoInstance else {
            trap("An unmanaged object of class '\(Self.className())' cannot be thawed: it is in no realm.")
        }
        return instance.isFrozen ? moved(to: instance.thawed()) : self
    }

    private func moved(to instanceOwner: InstanceOwner) -> Self? {
        let instance = instanceOwner.instance
        let context = instance.classes.context(of: kivoContext.info)
        guard let (leaf, slot) = instance.table(context.table).locate(kivoRow.key) else { return nil }
        return unsafeDowncast(context.accessor(kivoRow.key, leaf, slot), to: Self.self)
    }
}
