extension SequenceChange {
    /// Returns the difference as indexes, in the form that observers of the list receive.
    ///
    /// O(n log n) in the number of runs, plus the number of indexes.
    @usableFromInline package func resolve() -> CollectionChanges {
        var changes = CollectionChanges()
        changes.isCleared = isCleared
        var plain: [Run] = []
        var moves = MoveReduction()
        var modified: [CollectionChanges.Move] = []
        var position = 0
        for run in table.joined() {
            let positions = position..<position + run.count
            if run.isNew {
                changes.insertions.append(contentsOf: positions)
            } else if run.moveOrder != 0 {
                moves.add(run, at: position)
            } else {
                plain.append(run)
                moves.addUnmoved(origin: run.origin, position: position, count: run.count)
                if run.isReplaced {
                    modified += positions.map { .init(from: run.origin + $0 - position, to: $0) }
                }
            }
            position = positions.upperBound
        }

        let (real, dropped) = moves.reduce()
        changes.moves = real.map { .init(from: $0.origin, to: $0.position) }
        if !real.isEmpty {
            changes.insertions += real.map { $0.position }
            changes.insertions.sort()
        }
        let stayed = dropped.map { Run(origin: $0.origin, count: 1) }.sorted { $0.origin < $1.origin }
        changes.deletions = gaps(between: plain, and: stayed)
        let droppedAndReplaced = dropped.filter { $0.isReplaced }
        if !droppedAndReplaced.isEmpty {
            modified += droppedAndReplaced.map { .init(from: $0.origin, to: $0.position) }
            modified.sort { $0.to < $1.to }
        }
        changes.modifications = modified.map { $0.to }
        changes.modificationsOld = modified.map { $0.from }
        return changes
    }

    /// Returns the old indexes that are in none of the runs. Both arrays ascend.
    private func gaps(between plain: [Run], and stayed: [Run]) -> [Int] {
        var gaps: [Int] = []
        var end = 0
        var (nextPlain, nextStayed) = (0, 0)
        while nextPlain < plain.count || nextStayed < stayed.count {
            let run: Run
            if nextStayed == stayed.count
                || (nextPlain < plain.count && plain[nextPlain].origin < stayed[nextStayed].origin)
            {
                run = plain[nextPlain]
                nextPlain += 1
            } else {
                run = stayed[nextStayed]
                nextStayed += 1
            }
            gaps.append(contentsOf: end..<run.origin)
            end = run.origin + run.count
        }
        gaps.append(contentsOf: end..<oldCount)
        return gaps
    }
}
