/// The difference between the earlier and the current sections of a view.
///
/// To get from the earlier sections to the current ones: remove the rows at ``deletions`` (highest first), remove the
/// sections at ``sectionDeletions`` (highest first), insert sections at ``sectionInsertions`` (lowest first), then insert
/// rows at ``insertions`` (lowest first). All arrays ascend without repetition.
///
/// A section that moved is deleted and inserted. The deletions exclude the rows of a deleted section; the insertions include the
/// rows of an inserted one.
public struct SectionedChange: Sendable, Equatable {
    /// The position of a row in a section.
    public struct Position: Sendable, Hashable, Comparable {
        /// The index of the section.
        public var section: Int
        /// The index of the row in the section.
        public var row: Int

        /// Creates a position.
        public init(section: Int, row: Int) {
            self.section = section
            self.row = row
        }

        /// Compares by section, then by row.
        public static func < (a: Position, b: Position) -> Bool {
            a.section == b.section ? a.row < b.row : a.section < b.section
        }
    }

    /// The indexes of removed or moved sections, among the earlier sections.
    public var sectionDeletions: [Int] = []
    /// The indexes of inserted or moved sections, among the current sections.
    public var sectionInsertions: [Int] = []
    /// The removed rows, in the earlier sections.
    public var deletions: [Position] = []
    /// The inserted rows, in the current sections.
    public var insertions: [Position] = []
    /// The rows that stayed but were modified, in the current sections. See ``ViewChange/modifications``.
    public var modifications: [Position] = []
    /// The moved sections whose rows are unchanged: earlier index to current index. An observer of a single section can ignore
    /// such a move.
    public var intactMoves: [Int: Int] = [:]

    /// Creates an empty difference.
    public init() {}

    /// A Boolean value that indicates whether observers need no notification.
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty && insertions.isEmpty
            && modifications.isEmpty
    }
}
