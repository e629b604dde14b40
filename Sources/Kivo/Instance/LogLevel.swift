/// How much a message matters: a ``Logger`` passes on those of its level and of those above it.
public enum LogLevel: UInt, Sendable, CaseIterable {
    /// Nothing is passed on.
    case off
    /// What the program cannot go on after.
    case fatal
    /// What failed.
    case error
    /// What may be wrong.
    case warn
    /// What whoever runs the program may want to know.
    case info
    /// More of the same.
    case detail
    /// What whoever writes the program may want to know.
    case debug
    /// Each step.
    case trace
    /// Everything.
    case all
}

extension LogLevel: Comparable {
    /// Whether a level lets less pass than another.
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
