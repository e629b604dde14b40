import Dispatch
import KivoEngine

extension LiveGroups {
    /// Observes the groups: calls the block with all of them as insertions, and then with those whose numbers have become others.
    ///
    /// Like the observers of collections, the block is called on a later turn of the run loop, queue or actor, or inside of
    /// ``Realm/refresh()`` or the next write. Several changes in between lead to one call, or to none if no number has become another.
    ///
    /// - Parameter block: the closure to call.
    /// - Returns: a token that keeps the observation alive; it also keeps the groups up to date.
    /// - Complexity: O(n) for the first call; an update then costs O(1) for each element that changed.
    /// - Precondition: The realm is neither frozen nor read-only, and no write transaction is open that has made changes. Each number
    ///   fits the type: `sum(ofProperty:)` returns numbers of a wider type.
    public func observe(_ block: @escaping (LiveGroupsChange<Key, Value>) -> Void) -> NotificationToken {
        instance.checkObservable("A live number")
        return instance.listeners.add(GroupListener(groups, delivering(block)))
    }

    /// Observes the groups at a pace: calls the block with all of them as insertions, and then, as often as the pacing says, with those
    /// whose numbers have become others.
    ///
    /// - Parameters:
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive. It can pause the observation, and deliver at once.
    /// - Complexity: That of the overload without a pacing. Changes that are held cost nothing meanwhile.
    /// - Precondition: The realm is neither frozen nor read-only, and no write transaction is open that has made changes. Each number
    ///   fits the type: `sum(ofProperty:)` returns numbers of a wider type.
    public func observe(
        pacing: Realm.Pacing, _ block: @escaping (LiveGroupsChange<Key, Value>) -> Void
    ) -> NotificationToken { .paced(pacing, block) { observe($0) } }

    /// The changes of the groups, for `for await`: all of them as insertions, and then those whose numbers have become others. See
    /// ``ChangeStream``.
    ///
    /// - Complexity: O(1): the groups are evaluated when a loop begins.
    public var changes: ChangeStream<LiveGroupsChange<Key, Value>> {
        instance.checkStreamable("A live number")
        let groups = groups
        return ChangeStream {
            let query = groups.query
            return ListenerSource(query.instance, isInitial: true, isGone: { query.isSourceGone }) { call in
                GroupListener(groups, self.delivering { call(StreamElement(change: $0)) })
            }
        }
    }

    /// Returns the changes of the groups at a pace; see ``changes`` and ``Results/changes(keyPaths:pacing:)``.
    ///
    /// - Complexity: O(1): the groups are evaluated when a loop begins.
    public func changes(pacing: Realm.Pacing) -> ChangeStream<LiveGroupsChange<Key, Value>> {
        changes.paced(pacing)
    }

    /// Returns a closure that calls an observer with the values of a change.
    private func delivering(
        _ block: @escaping (LiveGroupsChange<Key, Value>) -> Void
    ) -> ([GroupFold.Change]?, GroupFold) -> Void {
        let (keys, convert) = (keys, convert)
        return { changes, fold in
            var (insertions, modifications): ([Key: Value], [Key: Value]) = ([:], [:])
            var deletions: [Key] = []
            if changes == nil { insertions = keys.dictionary(fold, convert) }
            for change in changes ?? [] {
                let key = keys.key(change.key)
                switch (change.before, change.after) {
                case (_, nil): deletions.append(key)
                case (nil, let after?): insertions[key] = convert(after)
                case (_?, let after?): modifications[key] = convert(after)
                }
            }
            block(
                LiveGroupsChange(
                    insertions: insertions, modifications: modifications, deletions: deletions))
        }
    }
}
