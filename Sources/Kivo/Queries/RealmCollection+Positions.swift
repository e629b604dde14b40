import Foundation

extension RealmCollection {
    /// The elements at some positions, in ascending order of these. Traps if one is outside of the collection.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }
}
