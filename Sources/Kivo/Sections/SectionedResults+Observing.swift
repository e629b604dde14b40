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
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        state.observe(keyPaths, on: queue, only: nil) { state, change in
            block(SectionedResultsChange(SectionedResults(state), change))
        }
    }
}

extension ResultsSection {
    public typealias SectionElement = T

    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        let key = key
        return state.observe(keyPaths, on: queue, only: key) { state, change in
            block(SectionedResultsChange(ResultsSection(state, key), change))
        }
    }
}

/// The forms of observing that sectioned results and each of their sections have. What is called on another queue is
/// `@Sendable`, as with other collections.
extension RealmSectionedResult {
    /// Observes the sections: one `.initial`, then an `.update` whenever elements or sections came, went, moved or were
    /// modified.
    ///
    /// The block is called on the current thread's run loop, queue or actor: later, never from inside of a commit, and coalesced,
    /// like the changes of ``Results``. Key paths only filter modifications: that an element comes, goes or changes its section
    /// is always told. A change costs O(log n) for each element that it touches, and a call of the block that makes the key, if
    /// there is one.
    ///
    /// Index paths of a ``ResultsSection`` hold the section's index among all sections, as an observer of all would be told.
    /// When its last element goes, `sectionsToDelete` is all that is told; when there is one again, the section is told as
    /// inserted. That it is at another index because others came, went or changed places with it is not told; if its own rows
    /// differ too when it moved, it is told as deleted and inserted.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps on frozen sections, and inside of a write transaction that has made changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the sections on a queue: the block is called there, with sections of the queue's realm.
    ///
    /// The changes are those of ``observe(keyPaths:_:)-([String]?,_)``. Traps if the block that makes the keys may not run on
    /// another queue.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for where this is called.
    ///   - block: what to call. It runs on the queue, wherever it was written.
    /// - Returns: a token that keeps the observation alive.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the sections where this is called: the form in which `nil` is written for the queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }
}

extension RealmSectionedResult where SectionElement: ObjectBase {
    /// Observes key paths of the elements; see ``observe(keyPaths:_:)-([String]?,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>],
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }

    /// Observes key paths of the elements on a queue; see ``observe(keyPaths:_:)-([String]?,_)``.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: queue, calling: block)
    }

    /// Observes key paths where this is called: the form in which `nil` is written for the queue.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: Never?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }
}
