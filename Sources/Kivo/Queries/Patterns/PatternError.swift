/// The reason why a pattern cannot be compiled, with its position.
struct PatternError: Error, Equatable, CustomStringConvertible {
    /// A clause in lower case, without a period.
    let reason: String
    /// The position of the refused part, in characters of the pattern.
    let position: Int

    var description: String { "\(reason), at position \(position)" }

    /// Creates the error for a construct that a finite automaton cannot match in linear time.
    static func unsupported(_ construct: String, at position: Int) -> PatternError {
        PatternError(
            reason: "\(construct) not supported, because patterns are matched in linear time",
            position: position)
    }
}
