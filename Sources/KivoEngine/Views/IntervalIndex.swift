/// An index of closed intervals of numbers, each with a value. A number finds the values of all intervals that contain it.
///
/// The intervals are in sorted runs of growing size, which merge as the digits of a binary counter carry. Each run is a search
/// tree by lower bound that stores the highest upper bound below each node. Adding is O(log² n) amortised, finding O(log² n +
/// matches).
@usableFromInline package struct IntervalIndex<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline var lower: Int64
        @usableFromInline var upper: Int64
        @usableFromInline var value: Value

        @inlinable
        init(lower: Int64, upper: Int64, value: Value) {
            (self.lower, self.upper, self.value) = (lower, upper, value)
        }
    }

    /// Entries ascending by lower bound. The middle of a range is the root of that range's tree.
    @usableFromInline
    struct Run {
        @usableFromInline var entries: [Entry]
        /// The highest upper bound of each tree, at the position of the tree's root.
        @usableFromInline var highest: [Int64] = []

        @inlinable
        init(_ entries: [Entry]) {
            self.entries = entries
            highest = entries.map { $0.upper }
            _ = computeHighest(0..<entries.count)
        }

        @inlinable
        mutating func computeHighest(_ range: Range<Int>) -> Int64 {
            if range.isEmpty { return Int64.min }
            let root = (range.lowerBound + range.upperBound) / 2
            let below = max(
                computeHighest(range.lowerBound..<root), computeHighest(root + 1..<range.upperBound))
            highest[root] = max(highest[root], below)
            return highest[root]
        }

        @inlinable
        func forEach(containing number: Int64, in range: Range<Int>, _ body: (Value) -> Void) {
            var range = range
            while !range.isEmpty {
                let root = (range.lowerBound + range.upperBound) / 2
                if highest[root] < number { return }
                forEach(containing: number, in: range.lowerBound..<root, body)
                if entries[root].lower > number { return }
                if entries[root].upper >= number { body(entries[root].value) }
                range = root + 1..<range.upperBound
            }
        }
    }

    @usableFromInline var runs: [Run] = []
    /// The number of intervals.
    @inlinable package var count: Int { runs.reduce(0) { $0 + $1.entries.count } }

    /// Creates an empty index.
    @inlinable package init() {}

    /// Adds an interval with a value. An interval whose upper bound is below its lower bound is never found.
    @inlinable
    package mutating func insert(_ bounds: (lower: Int64, upper: Int64), _ value: Value) {
        var entries = [Entry(lower: bounds.lower, upper: bounds.upper, value: value)]
        while let last = runs.last, last.entries.count <= entries.count {
            runs.removeLast()
            entries = IntervalIndex.merge(last.entries, entries)
        }
        runs.append(Run(entries))
    }

    @inlinable
    static func merge(_ a: [Entry], _ b: [Entry]) -> [Entry] {
        var merged: [Entry] = []
        merged.reserveCapacity(a.count + b.count)
        var next = 0
        for entry in a {
            while next < b.count, b[next].lower < entry.lower {
                merged.append(b[next])
                next += 1
            }
            merged.append(entry)
        }
        return merged + b[next...]
    }

    /// Calls `body` with the value of each interval that contains a number, in no particular order.
    @inlinable
    package func forEach(containing number: Int64, _ body: (Value) -> Void) {
        for run in runs { run.forEach(containing: number, in: 0..<run.entries.count, body) }
    }

    /// Calls `body` with each value, in no particular order. O(n).
    @inlinable
    package func forEach(_ body: (Value) -> Void) {
        for run in runs { for entry in run.entries { body(entry.value) } }
    }

    /// Removes intervals by their values. O(n).
    @inlinable
    package mutating func removeAll(where isRemoved: (Value) -> Bool) {
        let kept = runs.flatMap { $0.entries }.filter { !isRemoved($0.value) }.sorted { $0.lower < $1.lower }
        runs = kept.isEmpty ? [] : [Run(kept)]
    }
}
