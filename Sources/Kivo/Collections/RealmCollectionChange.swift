/// What a collection's observers are told.
///
/// All three index arrays ascend. Apply deletions first (from the back), then insertions (from the front), then
/// modifications: that turns what the observer saw last into what the collection holds now.
@frozen
public enum RealmCollectionChange<CollectionType> {
    /// The first call: the collection can be used.
    case initial(CollectionType)
    /// The collection, or an object in it, changed.
    ///
    /// - Parameters:
    ///   - deletions: positions, in the collection as the observer saw it last, of elements that are gone.
    ///   - insertions: positions, in the collection as it is now, of elements that are new.
    ///   - modifications: positions, in the collection as it is now, of elements that stayed and were modified.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never produced; there for the sake of exhaustive switches.
    case error(any Error)
}
