import Dispatch
import Foundation
import KivoEngine

extension SectionedState {
    /// Observes all sections, or the section of a key.
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
        return instance.listeners.add(listener)
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

/// The overloads of `observe` for sectioned results and for each of their sections. Blocks for another queue are `@Sendable`, as
/// with other collections.
extension RealmSectionedResult {
    /// Observes the sections: one `.initial`, then an `.update` whenever elements or sections were inserted, removed, moved or
    /// modified.
    ///
    /// The block runs on the current thread's run loop, queue or actor: later, never inside a commit. Updates are coalesced like
    /// the changes of ``Results``. Key paths only filter modifications: insertions, removals and changes of section are always
    /// reported. A change costs O(log n) for each changed element, and a call of the block that returns its key, if there is one.
    ///
    /// Index paths of a ``ResultsSection`` hold the section's index among all sections, as in the changes of all sections. When
    /// its last element is removed, only `sectionsToDelete` is reported; when it has elements again, an inserted section is
    /// reported. A new index because other sections were inserted, removed or swapped with it is not reported. If its own rows
    /// also differ after a move, the section is reported as deleted and inserted.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register. The first call evaluates the sections. An update costs O(log n) for each changed element,
    ///   and a call of the block that returns its key, if there is one.
    /// - Precondition: The sections are not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the sections on a queue: the block runs there, with sections of the queue's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for the caller's context.
    ///   - block: the closure to call. It runs on the queue, whatever isolation it was written in.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: That of the overload without a queue.
    /// - Precondition: The block that returns the keys may run on another queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the sections in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
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
    ///
    /// - Complexity: That of the overload without a queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: queue, calling: block)
    }

    /// Observes key paths in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: Never?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }
}

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

/// A change that observers of ``SectionedResults``, or of one of their sections, receive.
///
/// Index paths have two indexes: that of the section among all sections, and that of the element in it. Those of deletions and
/// modifications are positions in the sections as the observer saw them last, those of insertions positions in the current
/// sections. This is how a batch update of `UITableView` takes them. To update a copy of the rows, replace those of
/// ``currentModifications`` last: first apply deletions (from the back), then remove sections (from the back), insert sections
/// (from the front), then insertions (from the front).
@frozen
public enum SectionedResultsChange<Collection> {
    /// The first call: the collection can be used.
    case initial(Collection)
    /// Elements or sections were inserted, removed, moved or modified.
    ///
    /// - Parameters:
    ///   - deletions: index paths of removed elements, in the collection as the observer saw it last. Those of a section that was
    ///   removed as a whole are not listed.
    ///   - insertions: index paths of new elements, in the current collection; for a new section, of all its elements.
    ///   - modifications: index paths of remaining elements that were modified, in the collection as the observer saw it last;
    ///   see ``currentModifications``. None of them is also among the deletions.
    ///   - sectionsToInsert: indexes of new sections, in the current collection.
    ///   - sectionsToDelete: indexes of removed sections, in the collection as the observer saw it last.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)

    init(_ collection: Collection, _ change: SectionedChange?) {
        guard let change else {
            self = .initial(collection)
            return
        }
        let paths = { (positions: [SectionedChange.Position]) in
            positions.map { IndexPath(indexes: [$0.section, $0.row]) }
        }
        self = .update(
            collection, deletions: paths(change.deletions), insertions: paths(change.insertions),
            modifications: paths(change.modificationsOld),
            sectionsToInsert: IndexSet(change.sectionInsertions),
            sectionsToDelete: IndexSet(change.sectionDeletions))
    }
}
