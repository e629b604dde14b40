import KivoEngine

/// What happens when somebody reaches a damaged page: the program stops, in one sentence.
public enum PageDamage {
    private static let handler = Lock<(@Sendable (String) -> Never)?>(nil)

    /// Has a block called with the sentence instead of trapping, on the thread that reached the page. For tools whose user gave them
    /// the file: it has to end the process.
    package static func whenReached(_ body: @escaping @Sendable (String) -> Never) {
        handler.withLock { $0 = body }
    }

    /// Stops the program.
    static func stop(_ message: String) -> Never {
        if let handler = handler.withLock({ $0 }) { handler(message) }
        fatalError(message)
    }
}
