/// The way from expected changes to recorded ones that keeps as many as possible.
///
/// The standard library's difference is for relations that are equivalences, which this one is not: an expected change may be
/// met by several that differ from each other.
struct ChangeAlignment<Change> {
    /// What every text about a difference begins with.
    static var heading: String {
        "The recorded changes are not the expected ones (- expected, + recorded):"
    }

    /// In order: changes that were expected and did not come at that place (`-`), changes that came and were not expected there
    /// (`+`), and changes as they were recorded where they are the expected ones (a space).
    let steps: [(mark: Character, change: Change)]

    /// Whether every recorded change is the expected one.
    var isExact: Bool { steps.allSatisfy { $0.mark == " " } }

    /// O(expected × recorded).
    init(_ expected: [Change], _ recorded: [Change], isMet: (_ expected: Change, _ recorded: Change) -> Bool)
    {
        let met = expected.map { change in recorded.map { isMet(change, $0) } }
        // How many changes can be kept from a position in each on.
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
