extension Realm {
    /// The behaviour of ``Realm/add(_:update:)-(Object,_)`` and ``Realm/create(_:value:update:)`` if the object exists already.
    public enum UpdatePolicy: Int, Sendable {
        /// A duplicate primary key fails the transaction.
        case error = 1
        /// Values are written, and count as changed, only where they differ; strings differ where their bytes do. Existing
        /// embedded objects are changed in place: those of a list by position, those of a map by key.
        case modified = 3
        /// All values are written and count as changed. Embedded objects are created again.
        case all = 2
    }
}
