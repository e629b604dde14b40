/// A test of words, prepared so that testing one reads neither cells nor orders.
enum WordTest {
    /// Whether signed integers are between bounds, or are not.
    case integers(ClosedRange<Int64>, isInverted: Bool)
    /// Whether doubles are between bounds, or are not. NaN is not between any.
    case doubles(ClosedRange<Double>, isInverted: Bool)
    /// Any other test, which reads a cell.
    case cells(ValueTest)

    /// Prepares a test for words that are not null, and for keys of links.
    init(_ test: ValueTest) { self = WordTest(prepared: test) ?? .cells(test) }

    private init?(prepared test: ValueTest) {
        switch test {
        case .always(let value): self = .always(value)
        // Null differs from every word, and is neither less nor greater.
        case .compare(let comparison, .null, _): self = .always(comparison == .notEqual)
        case .compare(let comparison, .word(let word), .natural):
            self.init(comparison, Int64(bitPattern: word))
        case .compare(let comparison, .link(let key), .natural): self.init(comparison, key)
        case .compare(let comparison, .word(let word), .floatingPoint):
            self.init(comparison, Double(bitPattern: word))
        case .both(let a, let b):
            guard let a = WordTest(prepared: a), let b = WordTest(prepared: b), let both = a.intersection(b)
            else { return nil }
            self = both
        case .compare, .oneOf, .text, .rule, .either: return nil
        }
    }

    private init(_ comparison: ComparisonOperator, _ value: Int64) {
        switch comparison {
        case .equal: self = .integers(value...value, isInverted: false)
        case .notEqual: self = .integers(value...value, isInverted: true)
        case .less: self = .integers(value ... .max, isInverted: true)
        case .lessOrEqual: self = .integers(.min...value, isInverted: false)
        case .greater: self = .integers(.min...value, isInverted: true)
        case .greaterOrEqual: self = .integers(value ... .max, isInverted: false)
        }
    }

    private init(_ comparison: ComparisonOperator, _ value: Double) {
        let infinity = Double.infinity
        switch comparison {
        case .notEqual where value.isNaN: self = .always(true)
        case _ where value.isNaN: self = .always(false)
        case .equal: self = .doubles(value...value, isInverted: false)
        case .notEqual: self = .doubles(value...value, isInverted: true)
        case .less where value == -infinity, .greater where value == infinity: self = .always(false)
        case .less: self = .doubles(-infinity...value.nextDown, isInverted: false)
        case .lessOrEqual: self = .doubles(-infinity...value, isInverted: false)
        case .greater: self = .doubles(value.nextUp...infinity, isInverted: false)
        case .greaterOrEqual: self = .doubles(value...infinity, isInverted: false)
        }
    }

    private static func always(_ value: Bool) -> WordTest { .integers(.min ... .max, isInverted: !value) }

    /// Returns the test of words that pass both tests, if it is one of bounds; otherwise nil.
    private func intersection(_ other: WordTest) -> WordTest? {
        switch (self, other) {
        case (.integers(let a, false), .integers(let b, false)):
            let (low, high) = (max(a.lowerBound, b.lowerBound), min(a.upperBound, b.upperBound))
            return low <= high ? .integers(low...high, isInverted: false) : .always(false)
        case (.doubles(let a, false), .doubles(let b, false)):
            let (low, high) = (max(a.lowerBound, b.lowerBound), min(a.upperBound, b.upperBound))
            return low <= high ? .doubles(low...high, isInverted: false) : .always(false)
        default: return nil
        }
    }

    /// Returns whether a word passes the test.
    @inline(__always)
    func holds(_ word: UInt64) -> Bool {
        switch self {
        case .integers(let bounds, let isInverted): WordTest.contains(bounds, word) != isInverted
        case .doubles(let bounds, let isInverted): WordTest.contains(bounds, word) != isInverted
        case .cells(let test): test.holds(.word(word))
        }
    }

    /// Returns whether one of some words passes the test, or with `wanted` false, whether one fails it.
    ///
    /// The kind of the test is decided once for all words, and the search ends at the first word found.
    @inline(__always)
    func finds(_ wanted: Bool, in words: UnsafePointer<UInt64>, count: Int) -> Bool {
        switch self {
        case .integers(let bounds, let isInverted):
            let sought = wanted != isInverted
            for index in 0..<count where WordTest.contains(bounds, words[index]) == sought { return true }
        case .doubles(let bounds, let isInverted):
            let sought = wanted != isInverted
            for index in 0..<count where WordTest.contains(bounds, words[index]) == sought { return true }
        case .cells(let test):
            for index in 0..<count where test.holds(.word(words[index])) == wanted { return true }
        }
        return false
    }

    @inline(__always)
    private static func contains(_ bounds: ClosedRange<Int64>, _ word: UInt64) -> Bool {
        let low = UInt64(bitPattern: bounds.lowerBound)
        return word &- low <= UInt64(bitPattern: bounds.upperBound) &- low
    }

    @inline(__always)
    private static func contains(_ bounds: ClosedRange<Double>, _ word: UInt64) -> Bool {
        let value = Double(bitPattern: word)
        return bounds.lowerBound <= value && value <= bounds.upperBound
    }
}
