extension Realm {
    /// The behaviour of ``Realm/add(_:update:)-(Object,_)`` and ``Realm/create(_:value:update:)`` if the object exists already.
    public enum UpdatePolicy: Int, Sendable {
        /// A duplicate primary key fails the transaction.
        case error = 1
        /// Values are written, and count as changed, only where they differ; strings differ where their bytes do. Existing
        /// embedded objects are changed in place: those of a list by position, those of a map by key.
        ///
        /// Lists are replaced. Sets and maps are united with the new contents: other elements, and entries with other keys, stay.
        /// Nil, as the value of a set or map among the values for `create`, empties it.
        case modified = 3
        /// All values are written and count as changed. Lists, sets and maps are replaced. Embedded objects are created again.
        case all = 2
    }
}
