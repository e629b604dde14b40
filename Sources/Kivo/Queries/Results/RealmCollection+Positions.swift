import Foundation

extension RealmCollection {
    /// Returns the elements at some positions, in ascending order of the positions. Traps if a position is out of range.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }
}
