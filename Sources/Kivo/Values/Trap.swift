import KivoEngine

/// What happens instead of trapping; nil in programs.
let trapHandler = Lock<(@Sendable (String) -> Never)?>(nil)

/// Stops the program because of a bug in the caller, in words.
///
/// The one way in which Kivo traps: unlike `precondition`, `fatalError` prints its message in release builds too.
func trap(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) -> Never {
    if let handler = trapHandler.withLock({ $0 }) { handler(message()) }
    fatalError(message(), file: file, line: line)
}
