import KivoEngine

extension Realm {
    /// Whether the realm is frozen: one version for good, readable on any thread.
    public var isFrozen: Bool { instance.isFrozen }

    /// The version that this instance sees, for use on any thread. Inside of a write transaction, the version before it.
    ///
    /// A frozen realm keeps its version in memory as long as it or anything of it is alive.
    public func freeze() -> Realm { instance.isFrozen ? self : Realm(instance.frozen()) }

    /// The live instance of the queue or actor that runs this code if it has one, else of the current thread. O(instances).
    public func thaw() -> Realm { Realm(instance.thawed()) }

    /// The object as this realm's version has it, for use on any thread; see ``freeze()-swift.method``.
    public func freeze<T: ObjectBase>(_ object: T) -> T { object.freeze() }

    /// The live object of the current thread, queue or actor, or nil if it is gone there.
    public func thaw<T: ObjectBase>(_ object: T) -> T? { object.thaw() }

    /// The collection as this realm's version has it, for use on any thread; see ``freeze()-swift.method``. Traps if it is
    /// unmanaged or gone.
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
        collection.freeze()
    }

    /// The live collection of the current thread, queue or actor, or nil if what it is of is gone there.
    public func thaw<Collection: RealmCollection>(_ collection: Collection) -> Collection? {
        collection.thaw()
    }
}

extension _KeyValueObservedObject where Self: ObjectBase {
    /// The object as it is now, for use on any thread; inside of a write transaction, as it was before it. Traps if the
    /// object is unmanaged, invalid, or was created in the open transaction.
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

    /// The live object of the current thread, queue or actor, or nil if it is gone there. Traps if unmanaged.
    ///
    /// It shows the version of that instance, which may be older than the frozen one, until the instance is refreshed.
    public func thaw() -> Self? {
        guard isManaged, let instance = kivoInstance else {
            trap("An unmanaged object of class '\(Self.className())' cannot be thawed: it is in no realm.")
        }
        return instance.isFrozen ? moved(to: instance.thawed()) : self
    }

    private func moved(to instanceOwner: InstanceOwner) -> Self? {
        let instance = instanceOwner.instance
        let context = instance.context(of: kivoContext.info)
        guard let (leaf, slot) = instance.table(context.table).locate(kivoRow.key) else { return nil }
        return unsafeDowncast(context.accessor(kivoRow.key, leaf, slot), to: Self.self)
    }
}
