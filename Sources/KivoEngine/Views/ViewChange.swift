/// The difference between two states of a collection or view. It has the old positions of removed elements and the new positions
/// of inserted ones, all ascending. A moved element is in both.
public struct ViewChange: Sendable, Equatable {
    /// The old positions of removed elements.
    public var deletions: [Int]
    /// The new positions of inserted elements.
    public var insertions: [Int]
    /// The new positions of elements that stayed in place and count as modified. A view itself only reports assigned plain
    /// values: modifications of objects depend on the observer's key paths, which the view does not have.
    public var modifications: [Int]
    /// The moved elements, which are in both deletions and insertions, in no particular order.
    public var moves: [CollectionChanges.Move]

    /// Creates a difference; empty by default.
    public init(
        deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [],
        moves: [CollectionChanges.Move] = []
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.moves = moves
    }

    /// A Boolean value that indicates whether no element was inserted, removed or modified.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
