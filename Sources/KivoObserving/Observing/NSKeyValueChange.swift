#if !canImport(ObjectiveC)
/// The kind of change that a notification reports.
public enum NSKeyValueChange: UInt, Sendable {
    /// An assignment of the property, or a replacement of all contents of a collection.
    case setting = 1
    /// An insertion of elements into an ordered collection.
    case insertion = 2
    /// A removal of elements from an ordered collection.
    case removal = 3
    /// A replacement of elements of an ordered collection.
    case replacement = 4
}

/// The operation by which a set is changed, in notifications that the app announces.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// An insertion of members.
    case union = 1
    /// A removal of members.
    case minus = 2
    /// A removal of all but some members.
    case intersect = 3
    /// A replacement of all members by others.
    case set = 4
}
#endif
