import Foundation
import KivoEngine

/// An error for output that has no reader any more.
struct OutputClosed: Error {}

/// The output of a command: its result, and separately errors and progress.
///
/// Thread-safe. Written bytes are buffered and passed on in bulk; ``flush()`` passes on the rest.
final class Output: Sendable {
    private let sink: @Sendable ([UInt8]) -> Bool
    private let errors: @Sendable (String) -> Void
    /// Whether errors go to a terminal, on which progress is shown.
    private let showsProgress: Bool
    private let state: Lock<State>

    private struct State: Sendable {
        var isJSON: Bool
        var bytes: [UInt8] = []
        var isClosed = false
        var progress = ""
        var lastProgress = ContinuousClock.now
    }

    /// - Parameters:
    ///   - isJSON: Whether the result is JSON.
    ///   - sink: Takes the written bytes; returns whether there is still a reader.
    init(
        isJSON: Bool, showsProgress: Bool = false, sink: @escaping @Sendable ([UInt8]) -> Bool,
        errors: @escaping @Sendable (String) -> Void
    ) {
        state = Lock(State(isJSON: isJSON))
        self.showsProgress = showsProgress
        self.sink = sink
        self.errors = errors
    }

    /// Returns the output of the process.
    static func standard() -> Output {
        #if !os(Windows)
        // A closed pipe is detected by the result of writing.
        signal(SIGPIPE, SIG_IGN)
        #endif
        return Output(
            isJSON: isatty(1) == 0, showsProgress: isatty(2) != 0,
            sink: { bytes in (try? FileHandle.standardOutput.write(contentsOf: Data(bytes))) != nil },
            errors: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) })
    }

    /// Whether the result is JSON rather than text.
    var isJSON: Bool {
        get { state.withLock { $0.isJSON } }
        set { state.withLock { $0.isJSON = newValue } }
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Writes bytes of UTF-8.
    func write(_ bytes: UnsafeRawBufferPointer) { append(bytes.bindMemory(to: UInt8.self)) }

    func write(_ json: JSONText) { json.withBytes { append($0) } }

    /// Throws ``OutputClosed`` if there is no reader any more. Commands with much output call it from time to time.
    func checkIsRead() throws(OutputClosed) {
        if state.withLock({ $0.isClosed }) { throw OutputClosed() }
    }

    private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        let isFull = state.withLock { state in
            state.bytes.append(contentsOf: bytes)
            return state.bytes.count > 1 << 16
        }
        if isFull { flush() }
    }

    /// Passes on the buffered bytes.
    func flush() {
        clearProgress()
        state.withLock { state in
            if state.bytes.isEmpty { return }
            if !state.isClosed, !sink(state.bytes) { state.isClosed = true }
            state.bytes.removeAll(keepingCapacity: true)
        }
    }

    /// Prints an error message.
    func complain(_ message: String) {
        flush()
        errors("kivo: \(message)\n")
    }

    /// Prints a message that is not part of the result.
    func remark(_ message: String) {
        flush()
        errors(message + "\n")
    }

    /// Shows the progress of a long operation on one line of the terminal, a few times a second.
    func progress(_ text: @autoclosure () -> String) {
        guard showsProgress else { return }
        let now = ContinuousClock.now
        guard state.withLock({ now - $0.lastProgress > .milliseconds(150) }) else { return }
        let text = text()
        let old = state.withLock { state in
            defer { (state.progress, state.lastProgress) = (text, now) }
            return state.progress
        }
        errors("\r" + text + String(repeating: " ", count: max(0, old.count - text.count)))
    }

    private func clearProgress() {
        let old = state.withLock { state in
            defer { state.progress = "" }
            return state.progress
        }
        if !old.isEmpty { errors("\r" + String(repeating: " ", count: old.count) + "\r") }
    }
}
