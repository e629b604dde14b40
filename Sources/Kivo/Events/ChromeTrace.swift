import Dispatch
import Foundation
import KivoEngine

/// A file of events in the Trace Event Format, which Perfetto and the tracing page of Chrome show as a time line of each thread.
///
/// The format lets the array in the file end without a bracket, so that the trace of a program that is killed can be read, too.
/// Thread-safe: the lock guards the file.
final class ChromeTrace: Sendable {
    private let file: Lock<FileHandle>
    /// The moment at which the time line begins.
    private let beginning = ContinuousClock.now

    /// The trace to the file that the environment variable `KIVO_TRACE` names, or nil. `%p` in the name is replaced by the number of the
    /// process.
    static var asked: ChromeTrace? {
        guard let name = ProcessInfo.processInfo.environment["KIVO_TRACE"], !name.isEmpty else { return nil }
        let path = name.replacingOccurrences(of: "%p", with: "\(ProcessInfo.processInfo.processIdentifier)")
        if let trace = ChromeTrace(path) { return trace }
        // Later, because the logger is the program's, and may use realms.
        DispatchQueue.global().async {
            Logger.shared.log(level: .error, message: "KIVO_TRACE: the file '\(path)' cannot be written.")
        }
        return nil
    }

    /// Begins a trace in a new file. Returns nil if the file cannot be created.
    init?(_ path: String) {
        guard FileManager.default.createFile(atPath: path, contents: Data("[\n".utf8)),
            let file = FileHandle(forWritingAtPath: path), (try? file.seekToEnd()) != nil
        else { return nil }
        self.file = Lock(file)
    }

    /// Appends an event. One that cannot be written is left out.
    func write(_ event: RealmEvent) {
        guard var line = try? JSONEncoder().encode(Line(event, beginning)) else { return }
        line.append(contentsOf: Data(",\n".utf8))
        file.withLock { try? $0.write(contentsOf: line) }
    }

    /// A complete event of the format: times are in microseconds.
    private struct Line: Encodable {
        let name: String
        let cat: String
        let ph = "X"
        let ts: Double
        let dur: Double
        let pid = ProcessInfo.processInfo.processIdentifier
        let tid: Int
        let args: [String: String]

        init(_ event: RealmEvent, _ beginning: ContinuousClock.Instant) {
            tid = event.thread
            ts = beginning.duration(to: event.start) / .microseconds(1)
            dur = event.duration / .microseconds(1)
            args = ["realm": event.realm, "event": "\(event.kind)"]
            (cat, name) =
                switch event.kind {
                case .commit: ("commit", "commit")
                case .delivery(let delivery): ("delivery", delivery.listener.subject)
                case .writeWait: ("wait", "wait for a write")
                case .checkpoint: ("checkpoint", "checkpoint")
                case .scan(let scan): ("scan", "scan of \(scan.className)")
                }
        }
    }
}
