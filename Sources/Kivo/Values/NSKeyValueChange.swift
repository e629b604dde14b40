#if !canImport(ObjectiveC)
/// What kind of change a notification is about.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property got another value, or a collection another content.
    case setting = 1
    /// Elements came into an ordered collection.
    case insertion = 2
    /// Elements left an ordered collection.
    case removal = 3
    /// Elements of an ordered collection were replaced.
    case replacement = 4
}

/// How a set is changed by one operation, as hand-written notifications say it.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Members come in.
    case union = 1
    /// Members leave.
    case minus = 2
    /// All but some members leave.
    case intersect = 3
    /// The members are replaced by others.
    case set = 4
}
#endif
