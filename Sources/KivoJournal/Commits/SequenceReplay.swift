import KivoEngine

/// A change of a sequence in a record: the elements that the sequence has afterwards, in runs.
struct SequenceReplay {
    /// Neighbouring elements that are kept, moved, replaced or inserted together.
    struct Run {
        /// The old position of the first element; -1 if the elements were inserted.
        var origin: Int
        var count: Int
        /// The elements, if they were inserted or replaced.
        var elements: [Cell]?
        /// Whether the elements stay in place while others move around them.
        var isStaying = false
    }

    private(set) var runs: [Run] = []
    /// The indices of the runs that existed before, sorted by their old positions.
    private(set) var byOrigin: [Int] = []

    /// Whether any element existed before.
    var keepsAny: Bool { !byOrigin.isEmpty }

    /// Reads a change of a sequence that has `oldCount` elements.
    ///
    /// - Throws: ``JournalError`` if the change is invalid.
    init(_ reader: inout ByteReader, _ spec: ColumnSpec, oldCount: Int) throws(JournalError) {
        for _ in 0..<(try reader.readCount(ofAtLeast: 3)) {
            var run = Run(origin: try reader.readNumber() - 1, count: try reader.readNumber())
            let isReplaced = try reader.readFlag()
            guard run.count > 0,
                run.origin < 0 || (run.origin <= oldCount && run.count <= oldCount - run.origin)
            else { throw reader.malformed("a run is out of range") }
            if run.origin < 0 || isReplaced {
                run.elements = try reader.readElements(spec, count: run.count)
            }
            if run.origin >= 0 { byOrigin.append(runs.count) }
            runs.append(run)
        }
        let isInOrder = zip(byOrigin, byOrigin.dropFirst()).allSatisfy { runs[$0].origin < runs[$1].origin }
        let kept = byOrigin
        if !isInOrder { byOrigin.sort { runs[$0].origin < runs[$1].origin } }
        for (a, b) in zip(byOrigin, byOrigin.dropFirst())
        where runs[a].origin + runs[a].count > runs[b].origin {
            throw reader.malformed("an element is in two places")
        }
        if isInOrder {
            for index in kept { runs[index].isStaying = true }
        } else {
            markStaying(kept)
        }
    }

    /// Finds the runs that need not move: among the chains of runs with ascending origins, one with the most elements. O(n log n)
    /// in the number of runs.
    private mutating func markStaying(_ kept: [Int]) {
        var ranks = [Int](repeating: 0, count: runs.count)
        for (rank, index) in byOrigin.enumerated() { ranks[index] = rank }
        // Half the size of optional indexes, which the loops below would read.
        let none = -1
        // A binary indexed tree over the ranks. It contains the longest chains that end at or before a rank.
        var best = [(count: Int, run: Int)](repeating: (0, none), count: kept.count + 1)
        var before = [Int](repeating: none, count: runs.count)
        var longest = (count: 0, run: none)
        for index in kept {
            var chain = (count: 0, run: none)
            var node = ranks[index]
            while node > 0 {
                if best[node].count > chain.count { chain = best[node] }
                node &= node - 1
            }
            before[index] = chain.run
            let extended = (count: chain.count + runs[index].count, run: index)
            if extended.count > longest.count { longest = extended }
            node = ranks[index] + 1
            while node <= kept.count {
                if best[node].count < extended.count { best[node] = extended }
                node += node & -node
            }
        }
        var index = longest.run
        while index != none {
            runs[index].isStaying = true
            index = before[index]
        }
    }
}
