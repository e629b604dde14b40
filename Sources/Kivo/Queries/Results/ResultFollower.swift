import KivoEngine

/// Decides, inside a write transaction, when results are updated incrementally. Results that are read repeatedly between changes
/// are updated, and other results are evaluated each time.
///
/// Incremental updates make other code slower, because all writes are logged meanwhile. Therefore results that are read only once
/// or twice are not updated. Results for which an update was impossible wait longer the next time.
struct ResultFollower {
    private var transaction: UInt64 = 0
    private var stamp: QueryState.Stamp?
    private var answer: FollowedResult?
    /// The number of reads since a change that was not followed, and the number after which changes are followed.
    private var misses = 0
    private var allowedMisses = 2

    private static let mostMisses = 64

    /// Returns the current result of a query; returns nil if the query must be evaluated.
    mutating func current(_ query: RowQuery, _ instance: RealmInstance, _ stamp: QueryState.Stamp)
        -> FollowedResult?
    {
        guard let open = instance.transaction, open.hasChanges else {
            if transaction != 0 { self = ResultFollower() }
            return nil
        }
        if transaction != open.memory.id {
            self = ResultFollower()
            transaction = open.memory.id
        }
        if self.stamp == stamp { return answer }
        self.stamp = stamp
        if let answer {
            if answer.follows(open.rowLog), answer.follow(instance.snapshot, instance.catalog) {
                return answer
            }
            self.answer = nil
            misses = 0
            allowedMisses = min(allowedMisses * 2, ResultFollower.mostMisses)
        }
        misses += 1
        if misses <= allowedMisses { return nil }
        let made = FollowedResult(query, instance.noteRows(open), instance.snapshot, instance.catalog)
        answer = made
        return made
    }
}

extension RealmInstance {
    /// Makes an open transaction log its changes by row, until the log has not been read for long.
    fileprivate func noteRows(_ transaction: WriteTransaction) -> RowLog {
        if let rowLog = transaction.rowLog { return rowLog }
        let rowLog = RowLog { [weak self, weak transaction] in
            transaction?.rowLog = nil
            self?.updateDirectStores()
        }
        transaction.rowLog = rowLog
        updateDirectStores()
        return rowLog
    }
}
