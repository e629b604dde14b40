/// Stops the program because of a bug in the caller, in words.
///
/// The one way in which Kivo traps: unlike `precondition`, `fatalError` prints its message in release builds too.
func trap(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(message(), file: file, line: line)
}
