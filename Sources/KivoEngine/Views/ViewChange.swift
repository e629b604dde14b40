/// The difference between two states of a collection or view. It has the old positions of removed elements and the new positions
/// of inserted ones, all ascending. A moved element is in both.
@usableFromInline package struct ViewChange: Sendable, Equatable {
    /// The old positions of removed elements.
    package var deletions: [Int]
    /// The new positions of inserted elements.
    package var insertions: [Int]
    /// The new positions of elements that stayed in place and count as modified. A view itself only reports assigned plain
    /// values: modifications of objects depend on the observer's key paths, which the view does not have.
    package var modifications: [Int]
    /// The moved elements, which are in both deletions and insertions, in no particular order.
    package var moves: [CollectionChanges.Move]

    /// Creates a difference; empty by default.
    package init(
        deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [],
        moves: [CollectionChanges.Move] = []
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.moves = moves
    }

    /// A Boolean value that indicates whether no element was inserted, removed or modified.
    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
