/// Which changes along paths count for the rows that the paths start from.
public enum ChangePolicy: Sendable, Hashable {
    /// All that can change what a query finds, or where: of the rows themselves also that they came or went, and of
    /// origins that some were gained or lost.
    case queryResults
    /// What listeners with key paths are told: what was assigned on the way, and objects that came to refer to the one
    /// that a path over linking objects starts from. References that go away do not count.
    case keyPaths
}
