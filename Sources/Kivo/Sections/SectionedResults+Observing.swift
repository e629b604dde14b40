import Dispatch
import KivoEngine

extension SectionedState {
    /// Observes all sections, or the one of a key.
    func observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, only section: Key?,
        _ call: @escaping (SectionedState, SectionedChange?) -> Void
    ) -> NotificationToken {
        instance.checkObservable("A collection")
        let filter = query.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        if let queue {
            let state = handedOver
            return instance.register(on: queue) {
                state($0).observe(keyPaths, on: nil, only: section, call)
            }
        }
        let listener = SectionedListener(self, only: section, filter) { call(self, $0) }
        return instance.listeners.add(listener, instance)
    }
}

extension SectionedResults {
    /// Observes the sections: one `.initial`, then an `.update` whenever elements or sections came, went, moved or were
    /// modified.
    ///
    /// Delivered later, never from inside of a commit, and coalesced, like the changes of ``Results``. Key paths only
    /// filter modifications: that an element comes, goes or changes its section is always told. A change costs O(log n)
    /// for each element that it touches, and a call of the block that says the key, if there is one.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for the current thread's run loop or queue.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps on frozen sections, and inside of a write transaction that has made changes.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        state.observe(keyPaths, on: queue, only: nil) { state, change in
            block(SectionedResultsChange(SectionedResults(state), change))
        }
    }

    /// Observes key paths of the elements; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken where SectionElement: ObjectBase {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}

extension ResultsSection {
    /// Observes the section of this key; see ``SectionedResults/observe(keyPaths:on:_:)-([String]?,_,_)``.
    ///
    /// Index paths hold the section's index among all sections, as an observer of all would be told. When its last element
    /// goes, `sectionsToDelete` is all that is told; when there is one again, the section is told as inserted. That it is
    /// at another index because others came, went or changed places with it is not told; if its own rows differ too when it
    /// moved, it is told as deleted and inserted.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        let key = key
        return state.observe(keyPaths, on: queue, only: key) { state, change in
            block(SectionedResultsChange(ResultsSection(state, key), change))
        }
    }

    /// Observes key paths of the elements; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken where T: ObjectBase {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}
