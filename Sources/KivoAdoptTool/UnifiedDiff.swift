/// The difference between two texts, in the format of `diff -u`.
enum UnifiedDiff {
    private enum Step {
        case same(Int, Int), removed(Int), added(Int)
    }

    /// Returns the difference, or an empty text if both are equal.
    static func diff(_ old: String, _ new: String, path: String, context: Int = 3) -> String {
        if old == new { return "" }
        let a = lines(old)
        let b = lines(new)
        let steps = steps(a, b)
        var text = "--- a/\(path)\n+++ b/\(path)\n"
        // Hunks: changes with their context lines. Hunks that touch are joined.
        var changed = steps.indices.filter { if case .same = steps[$0] { false } else { true } }[...]
        while let first = changed.first {
            var last = first
            changed.removeFirst()
            while let next = changed.first, next - last <= 2 * context {
                last = next
                changed.removeFirst()
            }
            let range = max(0, first - context)...min(steps.count - 1, last + context)
            text += hunk(steps[range], before: steps[..<range.lowerBound], a, b)
        }
        return text
    }

    private static func lines(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true {
            lines.removeLast()
        } else {
            lines[lines.count - 1] += "\n\\ No newline at end of file"
        }
        return lines
    }

    private static func hunk(
        _ steps: ArraySlice<Step>, before: ArraySlice<Step>, _ a: [Substring], _ b: [Substring]
    ) -> String {
        func counts(_ steps: ArraySlice<Step>) -> (old: Int, new: Int) {
            steps.reduce(into: (0, 0)) { counts, step in
                switch step {
                case .same: counts = (counts.0 + 1, counts.1 + 1)
                case .removed: counts.0 += 1
                case .added: counts.1 += 1
                }
            }
        }
        let start = counts(before)
        let length = counts(steps)
        func range(_ start: Int, _ length: Int) -> String {
            length == 1 ? "\(start + 1)" : "\(length == 0 ? start : start + 1),\(length)"
        }
        var text = "@@ -\(range(start.old, length.old)) +\(range(start.new, length.new)) @@\n"
        for step in steps {
            switch step {
            case .same(let line, _): text += " \(a[line])\n"
            case .removed(let line): text += "-\(a[line])\n"
            case .added(let line): text += "+\(b[line])\n"
            }
        }
        return text
    }

    /// Returns the shortest sequence of steps from one text to the other, with removals first.
    private static func steps(_ a: [Substring], _ b: [Substring]) -> [Step] {
        // The common beginning and end need no search.
        var start = 0
        while start < min(a.count, b.count), a[start] == b[start] { start += 1 }
        var end = 0
        while end < min(a.count, b.count) - start, a[a.count - 1 - end] == b[b.count - 1 - end] { end += 1 }
        let difference = b[start..<b.count - end].difference(from: a[start..<a.count - end])
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(start + offset)
            case .insert(let offset, _, _): added.insert(start + offset)
            }
        }
        var steps: [Step] = []
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            if i < a.count, removed.contains(i) {
                steps.append(.removed(i))
                i += 1
            } else if j < b.count, added.contains(j) {
                steps.append(.added(j))
                j += 1
            } else {
                steps.append(.same(i, j))
                i += 1
                j += 1
            }
        }
        return steps
    }
}
