import KivoEngine

/// Decides, inside of a write, when results that are read again and again between changes follow them instead of being
/// evaluated anew each time.
///
/// Following costs others something, since stores have to be noted while it goes on: results that are read once or twice
/// do not, and those that could not be followed wait longer the next time.
struct ResultFollower {
    private var transaction: UInt64 = 0
    private var stamp: QueryState.Stamp?
    private var answer: FollowedResult?
    /// How often results were read after a change that was not followed, and how often that may be.
    private var misses = 0
    private var patience = 2

    private static let longestPatience = 64

    /// The result of a query as it is now; nil if it is to be evaluated.
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
            patience = min(patience * 2, ResultFollower.longestPatience)
        }
        misses += 1
        if misses <= patience { return nil }
        let made = FollowedResult(query, instance.noteRows(open), instance.snapshot, instance.catalog)
        answer = made
        return made
    }
}

extension RealmInstance {
    /// Has an open transaction note what it does row by row, until nobody reads that for long.
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
