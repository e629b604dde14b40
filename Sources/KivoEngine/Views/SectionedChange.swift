/// How the sections of a view differ from what they were.
///
/// To get from the earlier sections to the current ones: remove the rows at ``deletions`` (highest first), remove the
/// sections at ``sectionDeletions`` (highest first), insert sections at ``sectionInsertions`` (lowest first), then insert
/// rows at ``insertions`` (lowest first). All arrays ascend without repetition. A section that moved is deleted and
/// inserted. The rows of a section that is deleted are not among the deletions; those of one that is inserted are among
/// the insertions.
public struct SectionedChange: Sendable, Equatable {
    /// A row of a section.
    public struct Place: Sendable, Hashable, Comparable {
        /// The index of the section.
        public var section: Int
        /// The index of the row in it.
        public var row: Int

        /// Creates a place.
        public init(section: Int, row: Int) {
            self.section = section
            self.row = row
        }

        /// By section, then by row.
        public static func < (a: Place, b: Place) -> Bool {
            a.section == b.section ? a.row < b.row : a.section < b.section
        }
    }

    /// Indexes of the sections that are gone or moved away, among the earlier sections.
    public var sectionDeletions: [Int] = []
    /// Indexes of the sections that are new or moved here, among the current sections.
    public var sectionInsertions: [Int] = []
    /// Rows that are gone, in the earlier sections.
    public var deletions: [Place] = []
    /// Rows that are new, in the current sections.
    public var insertions: [Place] = []
    /// Rows that stayed but were modified, in the current sections. See ``ViewChange/modifications``.
    public var modifications: [Place] = []
    /// Of the sections that moved those whose rows are what they were: earlier index to current index. Who follows one
    /// section only has nothing to learn from such a move.
    public var intactMoves: [Int: Int] = [:]

    /// Creates the description of no change.
    public init() {}

    /// Whether there is nothing to tell an observer.
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty && insertions.isEmpty
            && modifications.isEmpty
    }
}
