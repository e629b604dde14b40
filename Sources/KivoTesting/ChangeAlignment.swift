/// An alignment of recorded changes with expected ones that matches as many of them as possible.
///
/// The standard library's `difference(from:)` requires an equivalence relation. This relation is none: an expected change may
/// match several recorded ones that differ from each other.
struct ChangeAlignment<Change> {
    /// The first line of every text about a difference.
    static var heading: String {
        "The recorded changes are not the expected ones (- expected, + recorded):"
    }

    /// The aligned changes, in order. `-` marks an expected change that is missing at that place, and `+` a recorded change that
    /// is unexpected there. A space marks a recorded change that is expected.
    let steps: [(mark: Character, change: Change)]

    /// Whether every recorded change is the expected one.
    var isExact: Bool { steps.allSatisfy { $0.mark == " " } }

    /// O(expected × recorded).
    init(_ expected: [Change], _ recorded: [Change], isMet: (_ expected: Change, _ recorded: Change) -> Bool)
    {
        let met = expected.map { change in recorded.map { isMet(change, $0) } }
        // The number of changes that can be matched from each pair of positions on.
        var kept = Array(
            repeating: Array(repeating: 0, count: recorded.count + 1), count: expected.count + 1)
        for left in expected.indices.reversed() {
            for right in recorded.indices.reversed() {
                kept[left][right] =
                    met[left][right]
                    ? kept[left + 1][right + 1] + 1 : max(kept[left + 1][right], kept[left][right + 1])
            }
        }
        var steps: [(Character, Change)] = []
        var (left, right) = (0, 0)
        while left < expected.count || right < recorded.count {
            if left < expected.count, right < recorded.count, met[left][right] {
                steps.append((" ", recorded[right]))
                left += 1
                right += 1
            } else if right == recorded.count
                || left < expected.count && kept[left + 1][right] >= kept[left][right + 1]
            {
                steps.append(("-", expected[left]))
                left += 1
            } else {
                steps.append(("+", recorded[right]))
                right += 1
            }
        }
        self.steps = steps
    }
}
