/// How a collection or a view differs from what it was: positions of what left, in the old order, and of what came, in
/// the new one, all ascending. What moved is in both.
public struct ViewChange: Sendable, Equatable {
    /// Positions in the old order of what left.
    public var deletions: [Int]
    /// Positions in the new order of what came.
    public var insertions: [Int]
    /// Positions in the new order of what stayed where it is and counts as modified. A view itself only says this of plain
    /// values that were assigned: what became of objects follows from key paths, which it does not know.
    public var modifications: [Int]
    /// The elements that are in both because they moved, in no order.
    public var moves: [CollectionChanges.Move]

    /// A difference, or none.
    public init(
        deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [],
        moves: [CollectionChanges.Move] = []
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.moves = moves
    }

    /// Whether everything is where it was.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
