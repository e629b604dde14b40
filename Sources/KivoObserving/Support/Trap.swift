/// The handler that is called instead of trapping; nil in programs other than tools.
package let trapHandler = Locked<(@Sendable (String) -> Never)?>(nil)

/// Stops the program because of a bug in the caller, with an explanation.
///
/// All traps of Kivo call this function: unlike `precondition`, `fatalError` prints its message in release builds, too.
package func trap(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line)
    -> Never
{
    if let handler = trapHandler.withLock({ $0 }) { handler(message()) }
    fatalError(message(), file: file, line: line)
}
