/// A change of a collection, as its observers receive it.
///
/// All three index arrays are ascending. To update a copy of the elements, apply deletions first (from the back), then insertions
/// (from the front), then modifications.
@frozen
public enum RealmCollectionChange<CollectionType> {
    /// The first call: the collection is ready for use.
    case initial(CollectionType)
    /// The collection, or an object in it, changed.
    ///
    /// - Parameters:
    ///   - deletions: The positions of elements that were removed, in the collection at the observer's last call.
    ///   - insertions: The positions of new elements, in the current collection.
    ///   - modifications: The positions of remaining elements that were modified, in the current collection.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never produced. It exists for exhaustive switches.
    case error(any Error)
}
