extension RealmInstance {
    /// A frozen instance of the version that this one sees.
    func frozen() -> InstanceOwner {
        if isFrozen { return instanceOwner }
        checkConfinement()
        ensureRead()
        if let frozen = lastFrozen, frozen.instance.version == version { return frozen }
        let frozen = InstanceOwner(RealmInstance(store, configuration, .none, frozenAt: version))
        lastFrozen = frozen
        return frozen
    }

    /// The live instance of the current thread.
    func thawed() -> InstanceOwner {
        if !isFrozen { return instanceOwner }
        return store.instance(.currentThread)
            ?? InstanceOwner(RealmInstance(store, configuration, .currentThread))
    }
}
