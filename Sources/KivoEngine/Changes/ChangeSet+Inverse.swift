extension ChangeSet {
    /// The inverse change set, from the version after the changes to the one before. O(changed leaves and runs).
    package var inverse: ChangeSet {
        var inverse = self
        inverse.tables = tables.map { $0.inverse }
        inverse.backlinks = backlinks.map { $0.inverse }
        inverse.sequences = sequences.mapValues { $0.inverse }
        return inverse
    }
}

extension TableChange {
    fileprivate var inverse: TableChange {
        var inverse = self
        inverse.leaves = leaves.map { leaf in
            var leaf = leaf
            swap(&leaf.inserted, &leaf.deleted)
            return leaf
        }
        return inverse
    }
}

extension SequenceChange {
    /// The inverse change: inserted elements are removed, removed ones are inserted, and all others return to their former
    /// positions.
    @usableFromInline package var inverse: SequenceChange {
        var kept: [(from: Int, run: Run)] = []
        var position = 0
        for run in runs {
            if !run.isNew {
                var back = run
                back.origin = position
                kept.append((from: run.origin, run: back))
            }
            position += run.count
        }
        kept.sort { $0.from < $1.from }
        var inverse: [Run] = []
        var end = 0
        for (from, run) in kept {
            if from > end { inverse.append(Run(origin: Run.new, count: from - end)) }
            inverse.append(run)
            end = from + run.count
        }
        if oldCount > end { inverse.append(Run(origin: Run.new, count: oldCount - end)) }
        return SequenceChange(
            oldCount: newCount, runs: inverse, isCleared: inverse.isEmpty && newCount > 0,
            hasInserted: oldCount > end)!
    }
}
