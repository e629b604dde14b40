/// What a map's observers are told.
///
/// All three arrays of keys ascend. To follow a map: remove the deletions from what the observer saw last,
/// then take over the values of insertions and modifications from the map as it is now.
@frozen
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call: the map can be used.
    case initial(Collection)
    /// The map, or an object in it, changed.
    ///
    /// - Parameters:
    ///   - deletions: keys that were removed, of the map as the observer saw it last. One that was put again
    ///     is among the insertions too.
    ///   - insertions: keys that are new, of the map as it is now.
    ///   - modifications: keys that stayed, of the map as it is now, whose value was assigned or was
    ///     modified. A key whose object was deleted stays, with nil.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// Never produced; there for the sake of exhaustive switches.
    case error(any Error)
}
