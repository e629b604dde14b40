import KivoEngine

/// The reaction to access to a damaged page: the program stops with a message of one sentence.
package enum PageDamage {
    private static let handler = Lock<(@Sendable (String) -> Never)?>(nil)

    /// Registers a closure that is called with the message instead of trapping, on the thread that accessed the page. The closure
    /// must end the process. For tools whose user has chosen the file.
    package static func whenReached(_ body: @escaping @Sendable (String) -> Never) {
        handler.withLock { $0 = body }
    }

    /// Stops the program with a message.
    static func stop(_ message: String) -> Never {
        if let handler = handler.withLock({ $0 }) { handler(message) }
        fatalError(message)
    }
}
