extension RealmSectionedResult {
    /// Observes the sections on an actor: the block is called there, with sections of the actor's realm.
    ///
    /// What is told of is that of ``RealmSectionedResult/observe(keyPaths:_:)-([String]?,_)``. The observation has begun when
    /// this returns; the first call, with `.initial`, comes later. A block that says the keys is called on the actor, too.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - actor: the actor to deliver on; also a global one, such as `MainActor.shared`.
    ///   - _isolation: where the caller runs; not to be passed.
    ///   - block: what to call. It is given the actor, isolated, so that it may use what belongs to it.
    /// - Returns: a token that keeps the observation alive. It is invalid if the task has been cancelled, or the collection
    ///   is gone: nothing is observed then.
    ///
    /// Traps on frozen sections, and inside of a write transaction that has made changes.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        guard let instance = realm?.instance else { trap("Sections have a realm.") }
        instance.checkObservable("A collection")
        return await observe(on: actor, _isolation, in: instance) { sections, actor in
            sections.observe(keyPaths: keyPaths) { actor.call(block, $0) }
        }
    }
}

extension SectionedResults where SectionElement: ObjectBase {
    /// Observes key paths of the elements on an actor; see
    /// ``RealmSectionedResult/observe(keyPaths:on:_isolation:_:)``. Traps if one passes through something that is not
    /// persisted.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension ResultsSection where T: ObjectBase {
    /// Observes key paths of the elements on an actor; see
    /// ``RealmSectionedResult/observe(keyPaths:on:_isolation:_:)``. Traps if one passes through something that is not
    /// persisted.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}
