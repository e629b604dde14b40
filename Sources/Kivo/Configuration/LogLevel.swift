/// The severity of a message. A ``Logger`` passes on messages of its own level and of more severe ones.
public enum LogLevel: UInt, Sendable, CaseIterable {
    /// No messages are passed on.
    case off
    /// An error after which the program cannot continue.
    case fatal
    /// A failure.
    case error
    /// A possible problem.
    case warn
    /// Information for the operator of the program.
    case info
    /// Detailed information for the operator of the program.
    case detail
    /// Information for the developer of the program.
    case debug
    /// Each step.
    case trace
    /// All messages.
    case all
}

extension LogLevel: Comparable {
    /// Returns a Boolean value that indicates whether a level passes on fewer messages than another.
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
