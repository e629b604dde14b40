import KivoEngine

/// The reason why a condition does not fit the elements that it is about: a property that does not exist, or a value of another type.
struct QueryMismatch: Error, CustomStringConvertible {
    /// The reason, as a sentence.
    let description: String

    init(_ description: String) { self.description = description }

    /// Returns what a closure makes of a condition. Traps with the reason if the condition does not fit, because in a program that is
    /// a mistake of its author.
    static func trapping<Result>(_ compile: () throws(QueryMismatch) -> Result) -> Result {
        do throws(QueryMismatch) {
            return try compile()
        } catch {
            trap(error.description)
        }
    }
}
