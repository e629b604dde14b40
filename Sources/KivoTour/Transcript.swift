import Foundation
import Synchronization

/// The steps of one scene and the notifications of each listener, in order. Thread-safe.
final class Transcript: Sendable {
    /// A step of the scene.
    struct Step: Sendable {
        /// The code of the step, line by line; empty for the time before the first step.
        let code: [String]
        /// The notifications until the next step.
        var heard: [(listener: String, notice: String)] = []
    }

    private let entries = Mutex<[Step]>([Step(code: [])])

    /// All steps so far.
    var steps: [Step] { entries.withLock { $0 } }

    /// Records the next step.
    func step(_ code: String...) { step(code) }

    /// Records the next step, line by line.
    func step(_ code: [String]) { entries.withLock { $0.append(Step(code: code)) } }

    func hear(_ listener: String, _ notice: String) {
        entries.withLock { $0[$0.count - 1].heard.append((listener, notice)) }
    }

    private var heard: [(listener: String, notice: String)] { steps.flatMap(\.heard) }

    /// Returns all notifications that `listener` received.
    func notices(of listener: String) -> [String] {
        heard.filter { $0.listener == listener }.map(\.notice)
    }

    /// The listeners that received notifications, in the order of their first one.
    var listeners: [String] {
        heard.reduce(into: []) { if !$0.contains($1.listener) { $0.append($1.listener) } }
    }

    /// Waits up to five seconds until `listener` has received `count` notifications, and calls `idle` repeatedly in the meantime.
    func wait(
        for listener: String, count: Int, idle: () -> Void = { Thread.sleep(forTimeInterval: 0.001) }
    ) {
        let deadline = Date(timeIntervalSinceNow: 5)
        while notices(of: listener).count < count, Date() < deadline { idle() }
    }
}
