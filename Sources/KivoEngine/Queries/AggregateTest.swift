/// A test of the sum, average, minimum or maximum of the words of a collection. The words are the elements, or a column of the rows
/// to which these link.
struct AggregateTest: SequenceTest {
    private enum Rule {
        case integerSum
        /// A sum that the calling layer turns into a value.
        case convertedSum(@Sendable (Int128) -> Cell)
        case integerAverage
        case leastInteger, greatestInteger
        case doubleSum, doubleAverage
        case leastDouble, greatestDouble
    }

    /// The location of the words.
    private enum Source {
        case words, optionalWords
        case column(Int, Table)
    }

    private let rule: Rule
    private let source: Source
    private let test: ValueTest
    private let words: WordTest
    private let holdsForNull: Bool
    /// The leaf of the last link, because neighbours often lead to neighbours.
    private var last: Leaf?

    /// Creates a test of the results of an aggregate. Returns nil if its values are not words, or are added by a custom rule.
    init?(_ aggregate: Aggregate, _ element: ElementKind, _ test: ValueTest, _ snapshot: Snapshot) {
        let isDouble: Bool
        switch aggregate.order {
        case .natural: isDouble = false
        case .floatingPoint: isDouble = true
        case .custom, .mixed: return nil
        }
        switch (aggregate.function, aggregate.arithmetic) {
        case (.min, _): rule = isDouble ? .leastDouble : .leastInteger
        case (.max, _): rule = isDouble ? .greatestDouble : .greatestInteger
        case (.sum, .integer(nil)) where !isDouble: rule = .integerSum
        case (.sum, .integer(let convert?)) where !isDouble: rule = .convertedSum(convert)
        case (.average, .integer) where !isDouble: rule = .integerAverage
        case (.sum, .floatingPoint) where isDouble: rule = .doubleSum
        case (.average, .floatingPoint) where isDouble: rule = .doubleAverage
        case (.count, _), (.sum, _), (.average, _): return nil
        }
        if let value = aggregate.value {
            guard element == .link, let (column, kind) = value.directColumn, kind == .word else { return nil }
            source = .column(column, snapshot.table(value.table))
        } else {
            guard element == .word || element == .optionalWord else { return nil }
            source = element == .word ? .words : .optionalWords
        }
        (self.test, words, holdsForNull) = (test, WordTest(test), test.holds(.null))
    }

    mutating func holds(_ root: UnsafeMutableRawPointer?) -> Bool {
        switch rule {
        case .integerSum: return words.holds(UInt64(bitPattern: sum(root).total.clamped))
        case .convertedSum(let convert): return test.holds(convert(sum(root).total))
        case .integerAverage:
            let (total, count) = sum(root)
            return count == 0 ? holdsForNull : words.holds(total.average(of: count).bitPattern)
        case .leastInteger: return holds(best(root) { Int64(bitPattern: $0) < Int64(bitPattern: $1) })
        case .greatestInteger: return holds(best(root) { Int64(bitPattern: $0) > Int64(bitPattern: $1) })
        case .doubleSum: return words.holds(doubleSum(root).total.bitPattern)
        case .doubleAverage:
            let (total, count) = doubleSum(root)
            return count == 0 ? holdsForNull : words.holds((total / Double(count)).bitPattern)
        case .leastDouble: return holds(bestDouble(root) { $0 < $1 })
        case .greatestDouble: return holds(bestDouble(root) { $0 > $1 })
        }
    }

    private func holds(_ word: UInt64?) -> Bool { word.map { words.holds($0) } ?? holdsForNull }

    @inline(__always)
    private mutating func sum(_ root: UnsafeMutableRawPointer?) -> (total: Int128, count: Int) {
        var (total, count) = (Int128(0), 0)
        forEachWord(root) { word in
            // 128 bits hold the sum of as many integers as memory does.
            total &+= Int128(Int64(bitPattern: word))
            count &+= 1
        }
        return (total, count)
    }

    /// Returns the sum of the doubles that are numbers, added in their order.
    @inline(__always)
    private mutating func doubleSum(_ root: UnsafeMutableRawPointer?) -> (total: Double, count: Int) {
        var (total, count) = (0.0, 0)
        forEachWord(root) { word in
            let value = Double(bitPattern: word)
            if value.isNaN { return }
            total += value
            count &+= 1
        }
        return (total, count)
    }

    /// Returns the first of the best words, or nil if there are none.
    @inline(__always)
    private mutating func best(
        _ root: UnsafeMutableRawPointer?, _ isBetter: (UInt64, UInt64) -> Bool
    ) -> UInt64? {
        var best: UInt64?
        forEachWord(root) { word in if best.map({ isBetter(word, $0) }) ?? true { best = word } }
        return best
    }

    @inline(__always)
    private mutating func bestDouble(
        _ root: UnsafeMutableRawPointer?, _ isBetter: (Double, Double) -> Bool
    ) -> UInt64? {
        var best: Double?
        forEachWord(root) { word in
            let value = Double(bitPattern: word)
            if !value.isNaN, best.map({ isBetter(value, $0) }) ?? true { best = value }
        }
        return best?.bitPattern
    }

    /// Calls `body` with each word that is not null, in order.
    @inline(__always)
    private mutating func forEachWord(_ root: UnsafeMutableRawPointer?, _ body: (UInt64) -> Void) {
        guard let root else { return }
        let node = SequenceNode(base: root)
        // Most collections consist of one leaf.
        if node.isLeaf { return forEachWord(node.elements, node.count, body) }
        PersistentSequence(root: root, element: .word).forEachRun { elements, range in
            forEachWord(elements, range.count, body)
            return true
        }
    }

    @inline(__always)
    private mutating func forEachWord(
        _ elements: UnsafeMutableRawPointer, _ count: Int, _ body: (UInt64) -> Void
    ) {
        let words = elements.assumingMemoryBound(to: UInt64.self)
        switch source {
        case .words: for index in 0..<count { body(words[index]) }
        case .optionalWords:
            for index in 0..<count where words[index &* 2] != 0 { body(words[index &* 2 &+ 1]) }
        case .column(let column, let table):
            for index in 0..<count {
                let key = ObjectKey(bitPattern: words[index])
                if key == 0 { continue }
                if last?.covers(key) != true { last = table.leaf(containing: key) }
                guard let leaf = last, let slot = leaf.slot(of: key) else { continue }
                let buffer = leaf.column(column)
                if !buffer.isNull(slot) { body(buffer.word(slot)) }
            }
        }
    }
}
