import KivoEngine

/// Which objects of the realm those of a table of the file have become, by their keys.
///
/// Objects whose keys in both are consecutive take one entry together.
struct KeyMap {
    /// What became of an object.
    struct Place {
        /// The object in the realm.
        var key: ObjectKey
        /// Whether the values of the file go to it.
        var isWritten: Bool
        /// Whether it is new.
        var isNew: Bool
    }

    private struct Run {
        var first: Int64
        var count: Int64
        var place: Place
    }

    private var runs: [Run] = []
    /// Where the last key was found, which is often near the next one.
    private var last = 0

    /// Notes what became of an object. Its key comes after all that were noted.
    mutating func append(_ key: Int64, _ place: Place) {
        if let end = runs.last, end.first + end.count == key, end.place.key + end.count == place.key,
            end.place.isWritten == place.isWritten, end.place.isNew == place.isNew
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(first: key, count: 1, place: place))
        }
    }

    /// What became of an object; nil if it was left out. O(1) for keys that follow each other, else O(log objects).
    mutating func find(_ key: Int64) -> Place? {
        for index in last..<min(last + 2, runs.count) {
            if let place = place(key, in: index) {
                last = index
                return place
            }
        }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= key { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let place = place(key, in: low - 1) else { return nil }
        last = low - 1
        return place
    }

    private func place(_ key: Int64, in index: Int) -> Place? {
        let run = runs[index]
        guard key >= run.first, key - run.first < run.count else { return nil }
        var place = run.place
        place.key += key - run.first
        return place
    }
}
