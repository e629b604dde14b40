extension MainActor {
    /// Calls a closure with a value and returns its result, on the main actor. Traps elsewhere.
    ///
    /// Protocols of SwiftUI and Combine that are not isolated call this module on the main actor. Neither the value nor the result
    /// has to be `Sendable`, because this runs there before and after the call.
    package nonisolated static func pass<Value, Result>(
        _ value: Value, _ body: @MainActor (Value) -> Result
    ) -> Result {
        nonisolated(unsafe) let value = value
        nonisolated(unsafe) var result: Result?
        assumeIsolated { result = body(value) }
        return result.unsafelyUnwrapped
    }
}
