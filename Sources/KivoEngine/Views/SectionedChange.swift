/// The difference between the earlier and the current sections of a view.
///
/// To get from the earlier sections to the current ones: remove the rows at ``deletions`` (highest first), remove the
/// sections at ``sectionDeletions`` (highest first), insert sections at ``sectionInsertions`` (lowest first), then insert
/// rows at ``insertions`` (lowest first). All arrays ascend without repetition.
///
/// A section that moved is deleted and inserted. The deletions exclude the rows of a deleted section; the insertions include the
/// rows of an inserted one.
@usableFromInline package struct SectionedChange: Sendable, Equatable {
    /// The position of a row in a section.
    @usableFromInline package struct Position: Sendable, Hashable, Comparable {
        /// The index of the section.
        package var section: Int
        /// The index of the row in the section.
        package var row: Int

        /// Creates a position.
        package init(section: Int, row: Int) {
            self.section = section
            self.row = row
        }

        /// Compares by section, then by row.
        @usableFromInline package static func < (a: Position, b: Position) -> Bool {
            a.section == b.section ? a.row < b.row : a.section < b.section
        }
    }

    /// The indexes of removed or moved sections, among the earlier sections.
    package var sectionDeletions: [Int] = []
    /// The indexes of inserted or moved sections, among the current sections.
    package var sectionInsertions: [Int] = []
    /// The removed rows, in the earlier sections.
    package var deletions: [Position] = []
    /// The inserted rows, in the current sections.
    package var insertions: [Position] = []
    /// The rows that stayed but were modified, in the current sections. See ``ViewChange/modifications``.
    package var modifications: [Position] = []
    /// The moved sections whose rows are unchanged: earlier index to current index. An observer of a single section can ignore
    /// such a move.
    package var intactMoves: [Int: Int] = [:]
    /// How much the index of a section grew because of changes that are not part of this one. Only the change of a single section
    /// has such a shift.
    package var sectionShift = 0

    /// Creates an empty difference.
    package init() {}

    /// A Boolean value that indicates whether observers need no notification.
    package var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty && insertions.isEmpty
            && modifications.isEmpty
    }
}

extension SectionedChange {
    /// The rows of ``modifications``, in the same order, in the earlier sections. O(m log n) for m rows and n removed and inserted ones.
    package var modificationsOld: [Position] {
        if modifications.isEmpty { return [] }
        let mapping = Mapping(self)
        return modifications.compactMap(mapping.oldPosition)
    }

    /// Returns the current positions of rows that stayed, in the same order. Skips removed rows.
    package func currentPositions(ofOld positions: [Position]) -> [Position] {
        let mapping = Mapping(self)
        return positions.compactMap(mapping.newPosition)
    }

    /// Returns the composition of this change and a later one. It is correct but not necessarily the shortest: an element that
    /// was removed and came back counts as deleted and inserted. An element that either change inserted is not modified.
    package func followed(by later: SectionedChange) -> SectionedChange {
        let (first, second) = (Mapping(self), Mapping(later))
        var change = SectionedChange()
        change.sectionDeletions =
            (sectionDeletions + later.sectionDeletions.compactMap(first.oldSection)).sorted()
        change.sectionInsertions =
            (later.sectionInsertions + sectionInsertions.compactMap(second.newSection)).sorted()
        let deleted = Set(change.sectionDeletions)
        change.deletions = (deletions + later.deletions.compactMap(first.oldPosition))
            .filter { !deleted.contains($0.section) }.sorted()
        change.insertions = (later.insertions + insertions.compactMap(second.newPosition)).sorted()
        let inserted = Set(change.insertions)
        change.modifications = Set(later.modifications + modifications.compactMap(second.newPosition))
            .subtracting(inserted).sorted()
        for (old, middle) in intactMoves {
            change.intactMoves[old] = later.intactMoves[middle] ?? second.newSectionIfIntact(middle)
        }
        for (middle, new) in later.intactMoves {
            if let old = first.oldSectionIfIntact(middle) { change.intactMoves[old] = new }
        }
        return change
    }

    /// The positions of sections and rows that stay, before and after a change.
    private struct Mapping {
        let change: SectionedChange
        private var deletions: [Int: [Int]] = [:]
        private var insertions: [Int: [Int]] = [:]

        init(_ change: SectionedChange) {
            self.change = change
            for position in change.deletions { deletions[position.section, default: []].append(position.row) }
            for position in change.insertions {
                insertions[position.section, default: []].append(position.row)
            }
        }

        func oldSection(_ new: Int) -> Int? {
            RetainedPositions.position(
                new - change.sectionShift, without: change.sectionInsertions, with: change.sectionDeletions)
        }

        func newSection(_ old: Int) -> Int? {
            RetainedPositions.position(
                old, without: change.sectionDeletions, with: change.sectionInsertions
            ).map { $0 + change.sectionShift }
        }

        /// Returns the old index of a section whose rows are unchanged.
        func oldSectionIfIntact(_ new: Int) -> Int? {
            guard insertions[new] == nil, let old = oldSection(new) else { return nil }
            return deletions[old] == nil ? old : nil
        }

        /// Returns the new index of a section whose rows are unchanged.
        func newSectionIfIntact(_ old: Int) -> Int? {
            guard deletions[old] == nil, let new = newSection(old) else { return nil }
            return insertions[new] == nil ? new : nil
        }

        func oldPosition(_ new: Position) -> Position? {
            guard let section = oldSection(new.section),
                let row = RetainedPositions.position(
                    new.row, without: insertions[new.section] ?? [], with: deletions[section] ?? [])
            else { return nil }
            return Position(section: section, row: row)
        }

        func newPosition(_ old: Position) -> Position? {
            guard let section = newSection(old.section),
                let row = RetainedPositions.position(
                    old.row, without: deletions[old.section] ?? [], with: insertions[section] ?? [])
            else { return nil }
            return Position(section: section, row: row)
        }
    }
}
