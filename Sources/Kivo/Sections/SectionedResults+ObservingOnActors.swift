extension RealmSectionedResult {
    /// Observes the sections on an actor: the block runs there, with sections of the actor's realm.
    ///
    /// It receives the changes of ``RealmSectionedResult/observe(keyPaths:_:)-([String]?,_)``. The observation has begun when
    /// this returns; the first call, with `.initial`, follows later. A block that returns the keys also runs on the actor.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - actor: the actor to deliver on; it can be a global one, for example `MainActor.shared`.
    ///   - _isolation: the isolation of the caller; do not pass it.
    ///   - block: the closure to call. Its first argument is the actor, isolated, so that it can use the actor's state.
    /// - Returns: a token that keeps the observation alive. It is invalid, and nothing is observed, if the task was cancelled or
    ///   the collection no longer exists.
    ///
    /// Traps on frozen sections, and inside a write transaction that has made changes.
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
    /// Observes key paths of the elements on an actor; see ``RealmSectionedResult/observe(keyPaths:on:_isolation:_:)``. Traps if
    /// a key path passes through a property that is not persisted.
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
    /// Observes key paths of the elements on an actor; see ``RealmSectionedResult/observe(keyPaths:on:_isolation:_:)``. Traps if
    /// a key path passes through a property that is not persisted.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}
