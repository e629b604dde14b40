import Foundation

/// The outcome of one file of cases.
struct KeyValueCaseReport {
    /// A pair that does not agree, and what it should have been.
    struct Difference: Equatable {
        var name: String
        var complaint: String
        /// Why it may differ; nil if it may not.
        var reason: String?
    }

    let name: String
    private(set) var agreed = 0
    private(set) var differences: [Difference] = []
    /// How many pairs were left out for each reason.
    private(set) var leftOut: [String: Int] = [:]
    private(set) var total = 0

    init(_ name: String, _ pairs: [KeyValueCasePair], _ outcomes: [KeyValueCaseOutcome]) {
        self.name = name
        for (pair, outcome) in zip(pairs, outcomes) {
            switch outcome {
            case .leftOut(let reason):
                leftOut[reason, default: 0] += 1
                continue
            case .agrees: agreed += 1
            case .disagrees(let complaint):
                let reason = pair.test.mustAgree ? nil : KeyValueCaseAllowances.reasons[pair.test.id]
                differences.append(Difference(name: pair.name, complaint: complaint, reason: reason))
            }
            total += 1
        }
    }

    var disagreements: [Difference] { differences.filter { $0.reason == nil } }

    var summary: String { "\(name): \(agreed) of \(total) scenarios agree" }

    /// Lines about the cases that were left out, and about the expected and unexpected disagreements.
    var details: [String] {
        let count = leftOut.values.reduce(0, +)
        var lines = count > 0 ? ["  \(count) left out, for what they use:"] : []
        lines += leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            "    \($0.value): \($0.key)"
        }
        lines += disagreements.map { "  disagrees: \($0.name): \($0.complaint)" }
        lines += differences.compactMap { difference in
            difference.reason.map {
                "  differs, allowed (\($0)): \(difference.name): \(difference.complaint)"
            }
        }
        return lines
    }
}

/// The differences that are allowed: of cases that were read from an implementation or hoped for, by name,
/// with a reason.
enum KeyValueCaseAllowances {
    static let reasons: [String: String] = [:]
}

/// Whether a process ended with the message that an error of the cases has here.
enum KeyValueCaseFailure {
    static func fits(_ error: String, _ message: String) -> Bool {
        guard !message.isEmpty else { return false }
        guard let words = words[error] else { return true }
        return words.contains { message.lowercased().contains($0) }
    }

    /// Words of the message, one of which has to be there. Of other errors any message will do.
    private static let words = [
        "notRegistered": ["not registered"], "undefinedKey": ["key"], "range": ["outside", "range"],
        "objectHasObservers": ["observers"], "notInWrite": ["write transaction"],
    ]
}
