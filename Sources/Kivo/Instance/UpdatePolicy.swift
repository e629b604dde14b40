extension Realm {
    /// What ``Realm/add(_:update:)-(Object,_)`` and ``Realm/create(_:value:update:)`` do about an object that is there
    /// already.
    public enum UpdatePolicy: Int, Sendable {
        /// A duplicate primary key fails the transaction.
        case error = 1
        /// Values are written, and count as changed, only where they differ; strings differ where their bytes do. Embedded
        /// objects that are there are changed in place: those of a list by position, those of a map by key.
        case modified = 3
        /// All values are written and count as changed. Embedded objects are made anew.
        case all = 2
    }
}
