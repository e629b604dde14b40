import KivoEngine

/// A map from the keys of a table in the file to the keys of imported objects in the realm.
///
/// Objects with consecutive keys in both share one entry.
struct KeyMap {
    /// The imported object for a key of the file.
    struct Place {
        /// The object in the realm.
        var key: ObjectKey
        /// Whether the import writes the file's values to it.
        var isWritten: Bool
        /// Whether the import inserted it.
        var isNew: Bool
    }

    private struct Run {
        var first: Int64
        var count: Int64
        var place: Place
    }

    private var runs: [Run] = []
    /// The index of the last run that was found. The next key is often in the same or the next run.
    private var last = 0

    /// Adds the place of an object. Its key must be greater than all keys that were added before.
    mutating func append(_ key: Int64, _ place: Place) {
        if let end = runs.last, end.first + end.count == key, end.place.key + end.count == place.key,
            end.place.isWritten == place.isWritten, end.place.isNew == place.isNew
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(first: key, count: 1, place: place))
        }
    }

    /// Returns the place of an object, or nil if it was left out. O(1) for consecutive keys, otherwise O(log objects).
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
