extension SectionStage {
    /// The sections and their rows, for comparing the whole.
    struct Contents {
        var numbers: [Int] = []
        var rows: [[Int64]] = []
    }

    /// Returns the contents of the sections. O(n log n).
    func contents(_ elements: Elements) -> Contents {
        var contents = Contents()
        for section in 0..<sectionCount {
            let number = number(at: section)
            var rows: [Int64] = []
            forEachToken(ofNumber: number) { rows.append(elements.result($0)) }
            contents.numbers.append(number)
            contents.rows.append(rows)
        }
        return contents
    }

    /// Completes a change for which the query was evaluated again. `old` holds the former contents, with rows under the tokens by
    /// which they are identified now.
    ///
    /// - Parameter isAssigned: whether a row that stayed counts as modified.
    func finish(from old: Contents, _ elements: Elements, isAssigned: (Int64) -> Bool = { _ in false }) {
        let new = contents(elements)
        let sections = SequenceDifference.between(old.numbers, new.numbers)
        change.sectionDeletions = sections.deletions
        change.sectionInsertions = sections.insertions
        let (deleted, inserted) = (Set(sections.deletions), Set(sections.insertions))
        let kept = zip(
            old.numbers.indices.filter { !deleted.contains($0) },
            new.numbers.indices.filter { !inserted.contains($0) })
        for (before, after) in kept {
            let rows = SequenceDifference.between(old.rows[before], new.rows[after])
            change.deletions += rows.deletions.map { .init(section: before, row: $0) }
            change.insertions += rows.insertions.map { .init(section: after, row: $0) }
            let insertedRows = Set(rows.insertions)
            for (row, key) in new.rows[after].enumerated()
            where isAssigned(key) && !insertedRows.contains(row) {
                change.modifications.append(.init(section: after, row: row))
            }
        }
        for section in sections.insertions { insertAll(of: section, new.rows[section].count) }
        let arrived = Dictionary(uniqueKeysWithValues: sections.insertions.map { (new.numbers[$0], $0) })
        for section in sections.deletions {
            guard let now = arrived[old.numbers[section]], old.rows[section] == new.rows[now],
                !new.rows[now].contains(where: isAssigned)
            else { continue }
            change.intactMoves[section] = now
        }
        change.insertions.sort()
        emptied += old.numbers.filter { count(ofNumber: $0) == 0 }
    }
}
