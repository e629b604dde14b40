import KivoEngine

/// Messages for the program's log. The module above, which has the log, sets the handler.
package enum FileNotice {
    private struct State: Sendable {
        var handler: (@Sendable (String) -> Void)?
        var said: Set<String> = []
    }

    private static let state = Lock(State())

    /// Sets the closure that is called with each message, on any thread.
    package static func handle(_ handler: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// Reports a message.
    static func say(_ sentence: String) { state.withLock { $0.handler }?(sentence) }

    /// Reports a message once for each key.
    static func sayOnce(_ key: String, _ sentence: @autoclosure () -> String) {
        if state.withLock({ $0.said.insert(key).inserted }) { say(sentence()) }
    }
}
