import KivoEngine

/// What happened to a sequence, as a record has it: the elements that it has now, in runs.
struct SequenceReplay {
    /// Neighbouring elements that have the same fate.
    struct Run {
        /// Where the first of them was before; -1 if nowhere.
        var origin: Int
        var count: Int
        /// The elements, if they are new or were replaced.
        var elements: [Cell]?
        /// Whether they are to be left where they are while others move around them.
        var isStaying = false
    }

    private(set) var runs: [Run] = []
    /// The runs that were there before, by where they were.
    private(set) var byOrigin: [Int] = []

    /// Whether any element was there before.
    var keepsAny: Bool { !byOrigin.isEmpty }

    /// Reads a change of a sequence of so many elements. Throws if no change can be so.
    init(_ reader: inout ByteReader, _ spec: ColumnSpec, oldCount: Int) throws(JournalError) {
        for _ in 0..<(try reader.readCount(ofAtLeast: 3)) {
            var run = Run(origin: try reader.readNumber() - 1, count: try reader.readNumber())
            let isReplaced = try reader.readFlag()
            guard run.count > 0, run.origin < 0 || (run.origin <= oldCount && run.count <= oldCount - run.origin)
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

    /// Finds the runs that need not move: of those that ascend by origin, a chain with the most elements.
    /// O(n log n) in the number of runs.
    private mutating func markStaying(_ kept: [Int]) {
        var ranks = [Int](repeating: 0, count: runs.count)
        for (rank, index) in byOrigin.enumerated() { ranks[index] = rank }
        // A binary indexed tree over the ranks, of the longest chains that end at or before one.
        var best = [(count: Int, run: Int)](repeating: (0, -1), count: kept.count + 1)
        var before = [Int](repeating: -1, count: runs.count)
        var longest = (count: 0, run: -1)
        for index in kept {
            var chain = (count: 0, run: -1)
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
        while index >= 0 {
            runs[index].isStaying = true
            index = before[index]
        }
    }
}
