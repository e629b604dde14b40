import Foundation
import KivoEngine

/// The output of a command: its result, and separately errors and progress.
///
/// Thread-safe. Written bytes are buffered and passed on in bulk; ``flush()`` passes on the rest.
final class Output: Sendable {
    private let sink: @Sendable ([UInt8]) throws(OutputEnd) -> Void
    private let errors: @Sendable (String) -> Void
    /// Whether the result and the errors go to a terminal, which names and values of a file must not control.
    private let terminals: (result: Bool, errors: Bool)
    /// The time after which progress is shown, if errors go to a terminal; otherwise nil.
    private let progressDelay: Duration?
    private let state: Lock<State>

    private struct State: Sendable {
        var isJSON: Bool
        var bytes: [UInt8] = []
        var end: OutputEnd?
        var isStopped = false
        var progress = ""
        let start = ContinuousClock.now
        var lastProgress = ContinuousClock.now
    }

    /// - Parameters:
    ///   - isJSON: Whether the result is JSON.
    ///   - terminals: Whether the result and the errors go to a terminal. Control characters are escaped then.
    ///   - progressDelay: The time after which progress is shown, or nil to show none.
    ///   - sink: Takes the written bytes. After its first error it is not called again.
    init(
        isJSON: Bool, terminals: (result: Bool, errors: Bool), progressDelay: Duration? = nil,
        sink: @escaping @Sendable ([UInt8]) throws(OutputEnd) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) {
        state = Lock(State(isJSON: isJSON))
        self.terminals = terminals
        self.progressDelay = progressDelay
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
            isJSON: isatty(1) == 0, terminals: (isatty(1) != 0, isatty(2) != 0),
            progressDelay: isatty(2) != 0 ? .seconds(1) : nil,
            sink: { bytes throws(OutputEnd) in
                do {
                    try FileHandle.standardOutput.write(contentsOf: Data(bytes))
                } catch {
                    throw OutputEnd(error)
                }
            },
            errors: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) })
    }

    /// Returns an output that goes where this one goes, and has its own end.
    func successor() -> Output {
        flush()
        return Output(
            isJSON: isJSON, terminals: terminals, progressDelay: progressDelay, sink: sink, errors: errors)
    }

    /// Ends the output, so that the command ends that writes to it.
    func stop() { state.withLock { ($0.end, $0.isStopped) = ($0.end ?? .closed, true) } }

    /// Whether ``stop()`` was called.
    var isStopped: Bool { state.withLock { $0.isStopped } }

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
            if terminals.result {
                state.bytes.append(contentsOf: ControlCharacters.escaped(bytes))
            } else {
                state.bytes.append(contentsOf: bytes)
            }
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
        let shown =
            terminals.errors
            ? String(decoding: ControlCharacters.escaped(message.utf8), as: UTF8.self) : message
        errors("kivo: \(shown)\n")
    }

    /// Shows the progress of a long operation as a bar, on one line of the terminal. It is shown a few times a second after the
    /// first second of the command.
    func progress(_ action: String, _ done: Int, of total: Int) {
        progress {
            let share = min(1, Double(done) / Double(max(1, total)))
            let full = Int(share * 30)
            let bar = String(repeating: "#", count: full) + String(repeating: ".", count: 30 - full)
            return "\(action) [\(bar)] \(Int(share * 100)) %"
        }
    }

    /// Performs an operation whose progress is unknown, and shows the time that it takes.
    func progress<Result>(_ action: String, during body: () throws -> Result) rethrows -> Result {
        guard progressDelay != nil else { return try body() }
        let (done, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let start = ContinuousClock.now
        Thread.detachNewThread {
            while done.wait(timeout: .now() + 0.2) == .timedOut {
                self.progress { "\(action) for \((ContinuousClock.now - start).components.seconds) s" }
            }
            ended.signal()
        }
        defer {
            done.signal()
            ended.wait()
        }
        return try body()
    }

    private func progress(_ text: () -> String) {
        guard let progressDelay else { return }
        let now = ContinuousClock.now
        guard state.withLock({ now - $0.start > progressDelay && now - $0.lastProgress > progressDelay / 5 })
        else { return }
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

/// The reason why output takes no more bytes.
enum OutputEnd: Error {
    /// The reader closed the pipe, because it has read enough.
    case closed
    /// Bytes were lost; the system's reason as text.
    case lost(reason: String)

    /// Creates the reason from an error of writing.
    init(_ error: any Error) {
        let system = OutputEnd.systemError(error as NSError)
        #if os(Windows)
        // ERROR_BROKEN_PIPE and ERROR_NO_DATA
        let isClosedPipe = system?.code == 109 || system?.code == 232
        #else
        let isClosedPipe = system?.code == Int(EPIPE)
        #endif
        guard !isClosedPipe else {
            self = .closed
            return
        }
        #if os(Windows)
        self = .lost(reason: (system ?? error as NSError).localizedDescription)
        #else
        self = .lost(
            reason: system.flatMap { strerror(Int32($0.code)) }.map { String(cString: $0) }
                ?? error.localizedDescription)
        #endif
    }

    /// Returns the error with the system's number, which is the error itself or an underlying one.
    private static func systemError(_ error: NSError) -> NSError? {
        if error.domain != NSCocoaErrorDomain { return error }
        return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(systemError)
    }
}
