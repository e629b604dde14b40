import Foundation
import KivoEngine

/// The output of a command: its result, and separately errors and progress.
///
/// Thread-safe. Written bytes are buffered and passed on in bulk; ``flush()`` passes on the rest.
final class Output: Sendable {
    private let sink: @Sendable ([UInt8]) throws(OutputEnd) -> Void
    private let errors: @Sendable (String) -> Void
    /// Whether errors go to a terminal, on which progress is shown.
    private let showsProgress: Bool
    private let state: Lock<State>

    private struct State: Sendable {
        var isJSON: Bool
        var bytes: [UInt8] = []
        var end: OutputEnd?
        var progress = ""
        var lastProgress = ContinuousClock.now
    }

    /// - Parameters:
    ///   - isJSON: Whether the result is JSON.
    ///   - sink: Takes the written bytes. After its first error it is not called again.
    init(
        isJSON: Bool, showsProgress: Bool = false,
        sink: @escaping @Sendable ([UInt8]) throws(OutputEnd) -> Void,
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
        // Otherwise the next opened file gets the number of a closed standard stream, and the result is written into that file.
        // The wrong direction lets each access fail.
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
        #endif
        return Output(
            isJSON: isatty(1) == 0, showsProgress: isatty(2) != 0,
            sink: { bytes throws(OutputEnd) in
                do {
                    try FileHandle.standardOutput.write(contentsOf: Data(bytes))
                } catch {
                    throw OutputEnd(error)
                }
            },
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

    /// The reason why no more bytes are written, or nil if they are.
    var end: OutputEnd? { state.withLock { $0.end } }

    /// Throws an error if the output has ended. Commands with much output call it from time to time.
    func checkIsOpen() throws(OutputEnd) { if let end { throw end } }

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
            if state.end == nil {
                do throws(OutputEnd) { try sink(state.bytes) } catch { state.end = error }
            }
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
