extension KeyValueRecorder {
    /// How the recorded changes differ from expected ones: nil if they do not, else a text to read.
    ///
    /// Lines that begin with `-` are changes that were expected and did not come at that place, lines with
    /// `+` changes that came and were not expected there; the others are as expected. Use it in test
    /// libraries that the assertions do not serve.
    public func difference(from expected: [KeyValueChange]) -> String? {
        let steps = Self.steps(from: expected, to: changes)
        if steps.allSatisfy({ $0.mark == " " }) { return nil }
        // Key paths tell nothing if all changes are of one, and the test names none.
        let isNamed = expected.contains { $0.keyPath != nil } || Set(changes.map(\.keyPath)).count > 1
        // A change that is missing and one that came in its stead must not look the same.
        let missing = steps.filter { $0.mark == "-" }.map(\.change)
        let isDetailed = steps.contains { step in
            step.mark == "+" && missing.contains { step.change.isLookalike(of: $0) }
        }
        let lines = steps.map { "\($0.mark) \($0.change.text(isNamed: isNamed, isDetailed: isDetailed))" }
        return (["The recorded changes are not the expected ones (- expected, + recorded):"] + lines)
            .joined(separator: "\n")
    }

    /// The way from expected to recorded changes that keeps as many as possible.
    ///
    /// O(expected × recorded). The standard library's difference is for relations that are equivalences,
    /// which this one is not: an expected change may be met by several that differ from each other.
    private static func steps(
        from expected: [KeyValueChange], to recorded: [KeyValueChange]
    ) -> [(mark: Character, change: KeyValueChange)] {
        let met = expected.map { change in recorded.map { change.isMet(by: $0) } }
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
        var steps: [(Character, KeyValueChange)] = []
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
        return steps
    }
}
