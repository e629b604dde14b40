extension RealmInstance {
    /// Returns a frozen instance of the version that this one sees.
    func frozen() -> InstanceOwner {
        if isFrozen { return instanceOwner }
        checkConfinement()
        ensureRead()
        if let frozen = lastFrozen, frozen.instance.version == version { return frozen }
        let frozen = InstanceOwner(RealmInstance(store, configuration, .none, frozenAt: version))
        lastFrozen = frozen
        return frozen
    }

    /// Returns the live instance of the current thread, queue or actor.
    func thawed() -> InstanceOwner { isFrozen ? store.liveInstance(configuration) : instanceOwner }
}

extension Store {
    /// Returns the instance of the queue or actor that runs this code, or else of the thread. A thread that has no instance gets
    /// a new one.
    func liveInstance(_ configuration: Realm.Configuration) -> InstanceOwner {
        currentInstance() ?? InstanceOwner(RealmInstance(self, configuration, .currentThread))
    }
}
