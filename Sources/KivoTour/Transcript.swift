import Foundation
import Synchronization

/// What one scene did, and what each listener was told of it, in order. Any thread may add to it.
final class Transcript: Sendable {
    /// A step of the scene.
    struct Step: Sendable {
        /// Its code, line by line; none for what happened before the first.
        let code: [String]
        /// What was heard until the next one.
        var heard: [(listener: String, notice: String)] = []
    }

    private let entries = Mutex<[Step]>([Step(code: [])])

    /// All steps so far.
    var steps: [Step] { entries.withLock { $0 } }

    /// Notes what is done next.
    func step(_ code: String...) { step(code) }

    /// Notes what is done next, line by line.
    func step(_ code: [String]) { entries.withLock { $0.append(Step(code: code)) } }

    func hear(_ listener: String, _ notice: String) {
        entries.withLock { $0[$0.count - 1].heard.append((listener, notice)) }
    }

    private var heard: [(listener: String, notice: String)] { steps.flatMap(\.heard) }

    /// Everything that `listener` was told.
    func notices(of listener: String) -> [String] {
        heard.filter { $0.listener == listener }.map(\.notice)
    }

    /// The listeners that were told anything, in the order in which they first were.
    var listeners: [String] {
        heard.reduce(into: []) { if !$0.contains($1.listener) { $0.append($1.listener) } }
    }

    /// Waits up to five seconds until `listener` was told `count` things; `idle` passes the time in between.
    func wait(
        for listener: String, count: Int, idle: () -> Void = { Thread.sleep(forTimeInterval: 0.001) }
    ) {
        let deadline = Date(timeIntervalSinceNow: 5)
        while notices(of: listener).count < count, Date() < deadline { idle() }
    }
}
