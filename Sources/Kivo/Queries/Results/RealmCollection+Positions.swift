import Foundation

extension RealmCollection {
    /// Returns the elements at some positions, in ascending order of the positions.
    ///
    /// - Complexity: That of reading one element by position, for each of the positions.
    /// - Precondition: The positions are in 0 ..< count.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }
}
