/// A change of a map, as its observers receive it.
///
/// All three arrays of keys are ascending. To keep a copy of a map up to date, remove the deletions from it. Then read the values
/// of insertions and modifications from the map.
@frozen
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call: the map is ready for use.
    case initial(Collection)
    /// The map, or an object in it, changed.
    ///
    /// - Parameters:
    ///   - deletions: The keys that were removed from the map since the observer's last call. A removed key that was inserted
    ///     again is also among the insertions.
    ///   - insertions: The new keys of the current map.
    ///   - modifications: The remaining keys of the current map whose value was assigned or modified. A key whose object was
    ///     deleted remains, with nil.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// Never produced. It exists for exhaustive switches.
    case error(any Error)
}
