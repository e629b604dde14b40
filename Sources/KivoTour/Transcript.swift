import Foundation
import Kivo
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

/// The texts of expected and recorded notifications, the same for both.
enum Notice {
    static func initial(_ count: Int) -> String { "initial, \(rows(count))" }

    /// Returns the positions of a collection update, or nil if nothing changed, because then no update may be sent.
    static func update(deletions: [Int], insertions: [Int], modifications: [Int]) -> String? {
        let parts = [("deleted", deletions), ("inserted", insertions), ("modified", modifications)]
        let said = parts.filter { !$0.1.isEmpty }.map { "\($0.0) \(positions($0.1))" }
        return said.isEmpty ? nil : said.joined(separator: ", ")
    }

    /// Returns the update that turns the keys `old` into `new`, where `changed` were modified. Only the keys in `moved` move:
    /// they are deleted and inserted.
    static func update(
        from old: [String], to new: [String], changed: Set<String> = [], moved: Set<String> = []
    ) -> String? {
        let before = Set(old).subtracting(moved)
        let after = Set(new).subtracting(moved)
        return update(
            deletions: old.indices.filter { !after.contains(old[$0]) },
            insertions: new.indices.filter { !before.contains(new[$0]) },
            modifications: old.indices.filter { changed.contains(old[$0]) && after.contains(old[$0]) })
    }

    /// Returns the keys of a map's update.
    static func update(deletions: [String] = [], insertions: [String] = [], modifications: [String] = [])
        -> String
    {
        [("deleted", deletions), ("inserted", insertions), ("modified", modifications)]
            .filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
            .joined(separator: "; ")
    }

    /// Returns a collection update whose positions are meaningless, with the numbers only.
    static func counts(deletions: Int, insertions: Int, modifications: Int) -> String {
        [("deleted", deletions), ("inserted", insertions), ("modified", modifications)]
            .filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    }

    static func realm(_ notification: Realm.Notification) -> String {
        switch notification {
        case .didChange: "didChange"
        case .refreshRequired: "refreshRequired"
        }
    }

    static func property(_ name: String, old: Any? = nil, new: Any? = nil) -> String {
        guard let new else { return name }
        return "\(name) \(transition(old, new))"
    }

    /// Returns `old → new`, `→ new` if there is no old value, or `was old` if there is no new one.
    static func transition(_ old: Any?, _ new: Any?) -> String {
        switch (old, new) {
        case (let old?, let new?): "\(value(old)) → \(value(new))"
        case (nil, let new?): "→ \(value(new))"
        case (let old?, nil): "was \(value(old))"
        case (nil, nil): "no values"
        }
    }

    static func object(_ change: ObjectChange<Zone>) -> String {
        switch change {
        case .change(_, let properties):
            properties.map { property($0.name, old: $0.oldValue, new: $0.newValue) }.joined(separator: ", ")
        case .deleted: "deleted"
        case .error(let error): "error \(error)"
        }
    }

    /// Returns ascending positions as ranges: `0–3, 7`.
    static func positions(_ positions: some Sequence<Int>) -> String {
        var ranges: [ClosedRange<Int>] = []
        for position in positions {
            if let last = ranges.last, last.upperBound + 1 == position {
                ranges[ranges.count - 1] = last.lowerBound...position
            } else {
                ranges.append(position...position)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

    private static func value(_ value: Any) -> String {
        if let text = value as? String { return "“\(text)”" }
        return "\(value)"
    }
}
