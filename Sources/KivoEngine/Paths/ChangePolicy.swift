/// The changes along paths that affect the rows at the start of the paths.
public enum ChangePolicy: Sendable, Hashable {
    /// Every change that may affect which elements a query finds, or their order. Includes insertions and deletions of the rows
    /// themselves, and origins that were gained or lost.
    case queryResults
    /// The changes that observers of key paths are notified of: assignments along the path, and objects that began to refer to
    /// the start of a path over linking objects. References that were removed do not count.
    case keyPaths
}
