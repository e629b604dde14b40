import KivoEngine

@testable import KivoTool

/// An output that keeps what is written.
final class GatheredOutput: Sendable {
    private let state = Lock((bytes: [UInt8](), errors: ""))

    /// - Parameter limit: The number of bytes after which the reader is gone.
    func output(
        isJSON: Bool = false, limit: Int = .max, progressDelay: Duration? = nil
    ) -> Output {
        Output(
            isJSON: isJSON, terminals: (!isJSON, true), progressDelay: progressDelay,
            sink: { bytes throws(OutputEnd) in
                let isRead = self.state.withLock { state in
                    state.bytes += bytes
                    return state.bytes.count < limit
                }
                if !isRead { throw .closed }
            }, errors: { text in self.state.withLock { $0.errors += text } })
    }

    var output: Output { output() }
    var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }
    var errors: String { state.withLock { $0.errors } }
}
