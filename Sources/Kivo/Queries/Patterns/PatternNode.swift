/// The syntax tree of a pattern. Its depth is bounded by the parser.
indirect enum PatternNode: Sendable {
    case empty
    /// One scalar of a set, which is given by its index.
    case scalar(Int)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// Repetitions of a node, without limit if the second number is nil.
    case repetition(PatternNode, Int, Int?)

    var isEmpty: Bool { if case .empty = self { true } else { false } }
}

/// A condition on the position between two scalars, which it knows by their contexts.
enum PatternAssertion: Sendable {
    case start, end, lineStart, lineEnd, endBeforeNewline, notBeforeLineFeed
    case wordBoundary(PatternContext, isNegated: Bool)

    /// Whether the assertion holds between two scalars.
    ///
    /// `endBeforeNewline` holds before every newline. The automaton checks that the newline is the last scalar.
    func holds(_ previous: PatternContext, _ next: PatternContext) -> Bool {
        switch self {
        case .start: previous.contains(.start)
        case .end: next.contains(.end)
        case .lineStart: !previous.isDisjoint(with: [.start, .newline])
        case .lineEnd, .endBeforeNewline: !next.isDisjoint(with: [.end, .newline])
        case .notBeforeLineFeed: !next.contains(.lineFeed)
        case .wordBoundary(let word, let isNegated):
            (previous.isDisjoint(with: word) != next.isDisjoint(with: word)) != isNegated
        }
    }

    /// The facts that the assertion reads.
    var facts: PatternContext {
        switch self {
        case .start: .start
        case .end: .end
        case .lineStart: [.start, .newline]
        case .lineEnd, .endBeforeNewline: [.end, .newline]
        case .notBeforeLineFeed: .lineFeed
        case .wordBoundary(let word, _): word
        }
    }
}

/// The facts about a scalar, or about an end of the string, that assertions read.
struct PatternContext: OptionSet, Sendable {
    let rawValue: UInt32

    static let start = PatternContext(rawValue: 1)
    static let end = PatternContext(rawValue: 2)
    static let newline = PatternContext(rawValue: 4)
    static let lineFeed = PatternContext(rawValue: 8)
    static let word = PatternContext(rawValue: 16)
    static let asciiWord = PatternContext(rawValue: 32)

    /// The facts that hold for the scalars of a set, and the sets.
    static let sets: [(PatternContext, ScalarSet)] = [
        (.newline, .newline), (.lineFeed, .lineFeed), (.word, .word),
        (.asciiWord, .word.intersection(.ascii)),
    ]
}
