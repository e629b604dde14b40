/// A deterministic automaton that is built from a program while it reads strings.
///
/// A state is the set of instructions that the program can be at after the scalars so far, and the facts about the last scalar
/// that assertions read. `[ab]*c` has two:
///
///     cells           end of string   a, b    c       others
///     row 0: [ab]*c   dead            row 0   row 1   dead
///     row 1: accept   accepted        dead    dead    dead
///
/// A cell is computed when it is first needed, in O(p log p) for a program of p instructions. From then on a scalar costs one
/// lookup. Assertions are evaluated in this computation, which knows the scalars on both sides. The table is emptied when it is
/// full. A string of n scalars therefore costs O(n · p log p) at most, for every pattern.
///
/// `\Z` before a newline requires that the newline is the last scalar. Each entry of a state has a bit for this: the entry only
/// continues at the end of the string.
struct PatternAutomaton: Sendable {
    static let defaultCapacity = 1 << 17

    /// The values of cells that are not the offset of a row.
    private static let (unknown, dead, accepted): (UInt32, UInt32, UInt32) = (0, 1, 2)
    private static let firstRow = 3

    private let program: PatternProgram
    private let capacity: Int
    /// Rows of one cell for each class, after one cell for each special value.
    private var cells: [UInt32] = []
    /// The state of each row: the context, and the entries in ascending order.
    private var states: [[UInt32]] = []
    private var offsets: [[UInt32]: UInt32] = [:]
    /// The number of entries of all states.
    private var entryCount = 0

    private var pending: [UInt32] = []
    /// The number of the computation in which an entry was last reached.
    private var marks: [Int]
    private var computation = 0

    /// The number of instructions and scalars so far.
    private(set) var steps = 0
    /// The number of times that the table was full.
    private(set) var clearings = 0

    /// Creates an automaton whose cells and entries are at most a number, or as many as the start and one other state need.
    init(_ program: PatternProgram, capacity: Int = defaultCapacity) {
        self.program = program
        self.capacity = capacity
        marks = Array(repeating: 0, count: 2 * program.instructions.count)
        clear()
    }

    /// Whether the pattern matches all of a string. The bytes must be valid UTF-8.
    mutating func matches(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let short = program.classes.short
        var row = UInt32(Self.firstRow)
        var index = 0
        steps += utf8.count
        while index < utf8.count {
            let byte = utf8[index]
            let scalarClass: UInt32
            if byte < 0x80 {
                scalarClass = short[Int(byte)]
                index += 1
            } else if byte < 0xE0 {
                scalarClass = short[Int(byte & 0x1F) << 6 | Int(utf8[index + 1] & 0x3F)]
                index += 2
            } else {
                let length = byte < 0xF0 ? 3 : 4
                var scalar = UInt32(byte) & (0x7F >> UInt32(length))
                for offset in 1..<length { scalar = scalar << 6 | UInt32(utf8[index + offset] & 0x3F) }
                scalarClass = program.classes[scalar]
                index += length
            }
            var next = cells[Int(row + scalarClass)]
            if next == Self.unknown { next = advance(row, scalarClass) }
            if next == Self.dead { return false }
            row = next
        }
        let result = cells[Int(row)]
        return (result == Self.unknown ? advance(row, 0) : result) == Self.accepted
    }

    /// Computes a cell, and the row that it leads to.
    private mutating func advance(_ row: UInt32, _ scalarClass: UInt32) -> UInt32 {
        let source = states[(Int(row) - Self.firstRow) / program.classes.count]
        let (target, isAccepted) = step(from: source, Int(scalarClass))
        let cell = Int(row + scalarClass)
        if scalarClass == 0 {
            cells[cell] = isAccepted ? Self.accepted : Self.dead
            return cells[cell]
        }
        if target.count == 1 {
            cells[cell] = Self.dead
            return Self.dead
        }
        if let known = offsets[target] {
            cells[cell] = known
            return known
        }
        if cells.count + entryCount + program.classes.count + target.count > capacity {
            // The row that led here is gone.
            clearings += 1
            clear()
            return offsets[target] ?? insert(target)
        }
        let inserted = insert(target)
        cells[cell] = inserted
        return inserted
    }

    /// Returns the state after a scalar of a class, and whether the pattern can end before it.
    private mutating func step(from source: [UInt32], _ scalarClass: Int) -> (
        target: [UInt32], isAccepted: Bool
    ) {
        let previous = PatternContext(rawValue: source[0])
        let next = program.classes.contexts[scalarClass]
        let representative = program.classes.representatives[scalarClass]
        let isAtEnd = scalarClass == 0
        var entries: [UInt32] = []
        var isAccepted = false
        computation += 1
        for entry in source.dropFirst() where isAtEnd || entry & 1 == 0 { pending.append(entry & ~1) }
        while let entry = pending.popLast() {
            if marks[Int(entry)] == computation { continue }
            marks[Int(entry)] = computation
            steps += 1
            switch program.instructions[Int(entry) / 2] {
            case .accept: isAccepted = true
            case .split(let first, let second):
                pending.append(UInt32(second) * 2 | entry & 1)
                pending.append(UInt32(first) * 2 | entry & 1)
            case .assertion(let assertion, let target):
                guard assertion.holds(previous, next) else { continue }
                if case .endBeforeNewline = assertion, !isAtEnd {
                    pending.append(UInt32(target) * 2 | 1)
                } else {
                    pending.append(UInt32(target) * 2 | entry & 1)
                }
            case .scalar(let set, let target):
                if program.sets[set].contains(representative), !isAtEnd {
                    entries.append(UInt32(target) * 2 | entry & 1)
                }
            }
        }
        entries.sort()
        var state = [next.intersection(program.facts).rawValue]
        for entry in entries where entry != state.last || state.count == 1 { state.append(entry) }
        return (state, isAccepted)
    }

    private mutating func clear() {
        cells.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        entryCount = 0
        cells += [Self.unknown, Self.dead, Self.accepted]
        let context = PatternContext.start.intersection(program.facts)
        _ = insert([context.rawValue, UInt32(program.start) * 2])
    }

    private mutating func insert(_ state: [UInt32]) -> UInt32 {
        let offset = UInt32(cells.count)
        cells.append(contentsOf: repeatElement(Self.unknown, count: program.classes.count))
        states.append(state)
        entryCount += state.count
        offsets[state] = offset
        return offset
    }
}
