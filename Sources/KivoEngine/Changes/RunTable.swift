/// The runs of a list in order, in pieces of bounded size so that edits among many runs stay cheap.
///
/// Neighbouring runs that fit together are merged within a piece, but not necessarily across pieces. If there are many pieces,
/// groups of them have a common count, so that finding an element need not visit all pieces.
struct RunTable: Sendable {
    typealias Run = SequenceChange.Run

    struct Piece: Sendable {
        var runs: [Run]
        /// The number of elements in all the runs.
        var count: Int

        mutating func extend(_ slot: Int, by number: Int) {
            runs[slot].count += number
            count += number
        }
    }

    /// The location of an element: `offset` elements into a run.
    struct Location {
        var piece: Int
        var slot: Int
        var offset: Int
    }

    /// The maximum number of runs of a piece; a larger piece is divided in two.
    static let capacity = 256

    /// The number of pieces of a group.
    private static let groupCapacity = 64

    private(set) var pieces: [Piece] = []
    /// The number of elements.
    private(set) var count = 0
    /// The number of elements of each group, if there are several groups.
    private var groups: [Int] = []

    /// Whether the list is empty or a single run of unmarked elements from the earlier list.
    var isOnePlainRun: Bool {
        guard pieces.count == 1 else { return pieces.isEmpty }
        let runs = pieces[0].runs
        return runs.count == 1 && !runs[0].isNew && runs[0].moveOrder == 0 && !runs[0].isReplaced
    }

    /// Returns all runs in order.
    func joined() -> [Run] {
        guard pieces.count != 1 else { return pieces[0].runs }
        var all: [Run] = []
        all.reserveCapacity(pieces.reduce(0) { $0 + $1.runs.count })
        for piece in pieces {
            all += piece.runs
        }
        return all
    }

    /// Returns the element at an index as a run of its own.
    func element(at index: Int) -> Run {
        let location = location(of: index)
        return pieces[location.piece].runs[location.slot].slice(from: location.offset, count: 1)
    }

    mutating func append(_ run: Run) {
        guard let last = pieces.indices.last else {
            addPiece(of: run)
            return
        }
        let slot = pieces[last].runs.count - 1
        if pieces[last].runs[slot].isContinued(by: run) {
            count += run.count
            pieces[last].extend(slot, by: run.count)
            if !groups.isEmpty { groups[groups.count - 1] += run.count }
        } else if slot + 1 < RunTable.capacity {
            pieces[last].runs.append(run)
            recount(last, by: run.count)
        } else {
            addPiece(of: run)
        }
    }

    /// Inserts new elements, or one moved element, before an index.
    mutating func insert(_ run: Run, at index: Int) {
        guard index < count else {
            append(run)
            return
        }
        var location = location(of: index)
        recount(location.piece, by: run.count)
        if run.isNew, let slot = newRun(touching: location) {
            pieces[location.piece].runs[slot].count += run.count
            return
        }
        split(&location)
        pieces[location.piece].runs.insert(run, at: location.slot)
        divideIfFull(location.piece)
    }

    mutating func remove(at index: Int, count removed: Int) {
        guard removed < count else {
            self = RunTable()
            return
        }
        var rest = removed
        while rest > 0 {
            let location = location(of: index)
            let taken = min(rest, pieces[location.piece].runs[location.slot].count - location.offset)
            cut(taken, at: location)
            rest -= taken
        }
        if index > 0 && index < count {
            let location = location(of: index)
            if location.offset == 0 {
                mergeWithPrevious(location.piece, location.slot)
            }
        }
    }

    mutating func markReplaced(at index: Int) {
        var location = location(of: index)
        let run = pieces[location.piece].runs[location.slot]
        guard !run.isNew && !run.isReplaced else { return }
        split(&location)
        var end = location
        end.offset = 1
        split(&end)
        pieces[location.piece].runs[location.slot].isReplaced = true
        mergeWithPrevious(location.piece, location.slot + 1)
        mergeWithPrevious(location.piece, location.slot)
        divideIfFull(location.piece)
    }

    func checkInvariants() {
        var total = 0
        for piece in pieces {
            precondition(!piece.runs.isEmpty && piece.runs.count <= RunTable.capacity, "Badly filled piece")
            precondition(piece.count == piece.runs.reduce(0) { $0 + $1.count }, "Miscounted piece")
            precondition(
                zip(piece.runs, piece.runs.dropFirst()).allSatisfy { !$0.isContinued(by: $1) },
                "Runs left apart")
            total += piece.count
        }
        precondition(total == count, "Miscounted table")
        var regrouped = self
        regrouped.regroup()
        precondition(groups == regrouped.groups, "Miscounted group")
    }
}

extension RunTable {
    private func location(of index: Int) -> Location {
        var rest = index
        var piece = 0
        if !groups.isEmpty {
            var group = 0
            while rest >= groups[group] {
                rest -= groups[group]
                group += 1
            }
            piece = group * RunTable.groupCapacity
        }
        while rest >= pieces[piece].count {
            rest -= pieces[piece].count
            piece += 1
        }
        var slot = 0
        let runs = pieces[piece].runs
        while rest >= runs[slot].count {
            rest -= runs[slot].count
            slot += 1
        }
        return Location(piece: piece, slot: slot, offset: rest)
    }

    /// Updates the counts after elements of a piece were inserted or removed.
    private mutating func recount(_ piece: Int, by difference: Int) {
        count += difference
        pieces[piece].count += difference
        if !groups.isEmpty { groups[piece / RunTable.groupCapacity] += difference }
    }

    private mutating func addPiece(of run: Run) {
        count += run.count
        let number = pieces.count
        pieces.append(Piece(runs: [run], count: run.count))
        if number == RunTable.groupCapacity {
            regroup()
        } else if number > RunTable.groupCapacity {
            if number % RunTable.groupCapacity == 0 { groups.append(0) }
            groups[groups.count - 1] += run.count
        }
    }

    /// Counts the groups again, after a piece was inserted or removed.
    private mutating func regroup() {
        groups = []
        if pieces.count <= RunTable.groupCapacity { return }
        for start in stride(from: 0, to: pieces.count, by: RunTable.groupCapacity) {
            let end = min(start + RunTable.groupCapacity, pieces.count)
            groups.append(pieces[start..<end].reduce(0) { $0 + $1.count })
        }
    }

    /// Returns the run of new elements that ends at, begins at or contains a location, within its piece.
    private func newRun(touching location: Location) -> Int? {
        let runs = pieces[location.piece].runs
        if runs[location.slot].isNew {
            return location.slot
        }
        return location.offset == 0 && location.slot > 0 && runs[location.slot - 1].isNew
            ? location.slot - 1 : nil
    }

    /// Splits a run at the location. The location then is the start of a run, or the end of the piece.
    private mutating func split(_ location: inout Location) {
        guard location.offset > 0 else { return }
        let run = pieces[location.piece].runs[location.slot]
        if location.offset < run.count {
            let tail = run.slice(from: location.offset, count: run.count - location.offset)
            pieces[location.piece].runs[location.slot].count = location.offset
            pieces[location.piece].runs.insert(tail, at: location.slot + 1)
        }
        location.slot += 1
        location.offset = 0
    }

    /// Removes elements of one run.
    private mutating func cut(_ taken: Int, at location: Location) {
        recount(location.piece, by: -taken)
        guard pieces[location.piece].count > 0 else {
            pieces.remove(at: location.piece)
            regroup()
            return
        }
        let run = pieces[location.piece].runs[location.slot]
        if taken == run.count {
            pieces[location.piece].runs.remove(at: location.slot)
        } else if location.offset == 0 {
            pieces[location.piece].runs[location.slot] = run.slice(from: taken, count: run.count - taken)
        } else if run.isNew || location.offset + taken == run.count {
            pieces[location.piece].runs[location.slot].count -= taken
        } else {
            let tail = run.slice(from: location.offset + taken, count: run.count - location.offset - taken)
            pieces[location.piece].runs[location.slot].count = location.offset
            pieces[location.piece].runs.insert(tail, at: location.slot + 1)
            divideIfFull(location.piece)
        }
    }

    private mutating func mergeWithPrevious(_ piece: Int, _ slot: Int) {
        guard slot > 0, slot < pieces[piece].runs.count else { return }
        let run = pieces[piece].runs[slot]
        if pieces[piece].runs[slot - 1].isContinued(by: run) {
            pieces[piece].runs[slot - 1].count += run.count
            pieces[piece].runs.remove(at: slot)
        }
    }

    private mutating func divideIfFull(_ piece: Int) {
        guard pieces[piece].runs.count > RunTable.capacity else { return }
        let middle = pieces[piece].runs.count / 2
        let tail = Array(pieces[piece].runs[middle...])
        let tailCount = tail.reduce(0) { $0 + $1.count }
        pieces[piece].runs.removeSubrange(middle...)
        pieces[piece].count -= tailCount
        pieces.insert(Piece(runs: tail, count: tailCount), at: piece + 1)
        regroup()
    }
}
