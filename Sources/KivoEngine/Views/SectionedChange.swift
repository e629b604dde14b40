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

    /// Creates an empty difference.
    package init() {}

    /// A Boolean value that indicates whether observers need no notification.
    package var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty && insertions.isEmpty
            && modifications.isEmpty
    }
}
