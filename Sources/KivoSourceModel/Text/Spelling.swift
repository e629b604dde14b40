/// A search for the intended name after a spelling mistake.
package enum Spelling {
    /// Returns `; did you mean 'name'?`, or an empty text if no name is close.
    package static func suggestion(for name: String, among names: [String]) -> String {
        closest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns the name with the most similar spelling, or nil if none is close.
    private static func closest(to name: String, among names: [String]) -> String? {
        let wanted = Array(name.lowercased())
        var best: (name: String, distance: Int)?
        for candidate in Set(names).sorted() {
            let distance = distance(wanted, Array(candidate.lowercased()))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, best.distance <= max(1, wanted.count / 3) else { return nil }
        return best.name
    }

    /// Returns the number of letters that are inserted, removed, replaced or swapped with the next one between two words.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        if abs(a.count - b.count) > 4 { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j + 1], row[j]) + 1
                cost = min(cost, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
