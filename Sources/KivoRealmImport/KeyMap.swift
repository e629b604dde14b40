import KivoEngine
import KivoRealmFiles

/// A map from the keys of a table in the file to the keys of imported objects in the realm.
///
/// Objects with consecutive keys in both share one entry.
struct KeyMap {
    /// The imported object for a key of the file.
    struct Entry {
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
        var entry: Entry
    }

    private var runs: [Run] = []
    /// The index of the last run that was found. The next key is often in the same or the next run.
    private var last = 0

    /// Adds the entry of an object. Its key must be greater than all keys that were added before.
    mutating func append(_ key: Int64, _ entry: Entry) {
        if let end = runs.last, end.first + end.count == key, end.entry.key + end.count == entry.key,
            end.entry.isWritten == entry.isWritten, end.entry.isNew == entry.isNew
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(first: key, count: 1, entry: entry))
        }
    }

    /// Returns the entry of an object, or nil if it was left out. O(1) for consecutive keys, otherwise O(log objects).
    mutating func find(_ key: Int64) -> Entry? {
        for index in last..<min(last + 2, runs.count) {
            if let entry = entry(key, in: index) {
                last = index
                return entry
            }
        }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= key { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let entry = entry(key, in: low - 1) else { return nil }
        last = low - 1
        return entry
    }

    private func entry(_ key: Int64, in index: Int) -> Entry? {
        let run = runs[index]
        guard key >= run.first, key - run.first < run.count else { return nil }
        var entry = run.entry
        entry.key += key - run.first
        return entry
    }
}

/// The names in a realm of the properties of a file's class.
///
/// Names in a realm are not empty and contain `_` in place of `.`.
package struct StoredNames {
    /// The names, in the order of the table's properties.
    package let names: [String]

    /// The names for the properties of a table.
    package init(_ table: RealmFile.Table) {
        var taken = Set(table.properties.map(\.name))
        names = table.properties.map { property in
            if !property.name.isEmpty, !property.name.utf8.contains(UInt8(ascii: ".")) {
                return property.name
            }
            var name = property.name.isEmpty ? "_" : String(property.name.map { $0 == "." ? "_" : $0 })
            while !taken.insert(name).inserted { name += "_" }
            return name
        }
    }
}
