/// A recursive-descent parser for the syntax of `Regex(_:)`, which reads a pattern by characters.
struct PatternParser {
    /// The settings that inline flags change.
    struct Options: OptionSet {
        let rawValue: Int

        static let ignoresCase = Options(rawValue: 1)
        static let dotMatchesNewlines = Options(rawValue: 2)
        static let isMultiline = Options(rawValue: 4)
        /// Whether white space and comments from `#` to the end of a line are skipped.
        static let isExtended = Options(rawValue: 8)
        static let asciiDigits = Options(rawValue: 16)
        static let asciiSpaces = Options(rawValue: 32)
        static let asciiWords = Options(rawValue: 64)
    }

    static let maximumLength = 1 << 16
    /// The limit of `Regex`. A secondary thread's stack of 512 kB suffices for it.
    static let maximumDepth = 64
    static let maximumCount = Int(UInt16.max)

    let characters: [Character]
    var position = 0
    var options: Options
    private var depth = 0
    private var sets: [ScalarSet] = []
    private var setIndexes: [ScalarSet: Int] = [:]
    var groupNames: Set<String> = []

    private init(_ text: String, _ options: Options) {
        characters = Array(text)
        self.options = options
    }

    /// Returns the tree of a pattern, and the sets that its leaves refer to. Throws if it is malformed, too long or too deep, or has an unsupported construct.
    static func parse(_ text: String, ignoringCase: Bool) throws(PatternError) -> (PatternNode, [ScalarSet]) {
        guard text.utf8.count <= maximumLength else {
            throw PatternError(reason: "the pattern is longer than \(maximumLength) bytes", position: 0)
        }
        var parser = PatternParser(text, ignoringCase ? .ignoresCase : [])
        let node = try parser.alternation()
        guard parser.peek == nil else { throw parser.malformed("')' without '('") }
        return (node, parser.sets)
    }

    /// Returns a leaf for one scalar of a set. Equal sets are stored once.
    mutating func leaf(_ set: ScalarSet) -> PatternNode {
        if let index = setIndexes[set] { return .scalar(index) }
        setIndexes[set] = sets.count
        sets.append(set)
        return .scalar(sets.count - 1)
    }
}

/// Reading characters.
extension PatternParser {
    var peek: Character? { position < characters.count ? characters[position] : nil }

    func isNext(_ text: String) -> Bool {
        var index = position
        for character in text {
            guard index < characters.count, characters[index] == character else { return false }
            index += 1
        }
        return true
    }

    mutating func accept(_ text: String) -> Bool {
        guard isNext(text) else { return false }
        position += text.count
        return true
    }

    mutating func expect(_ text: String) throws(PatternError) {
        guard accept(text) else { throw malformed("expected '\(text)'") }
    }

    /// Returns and skips the longest run of characters that satisfy a predicate.
    mutating func accept(while predicate: (Character) -> Bool, atMost limit: Int = .max) -> String {
        let start = position
        while position - start < limit, let next = peek, predicate(next) { position += 1 }
        return String(characters[start..<position])
    }

    /// Returns and skips the text up to a delimiter, and the delimiter.
    mutating func text(until end: String) throws(PatternError) -> String {
        let start = position
        while !isNext(end) {
            guard peek != nil else { throw malformed("expected '\(end)'") }
            position += 1
        }
        defer { position += end.count }
        return String(characters[start..<position])
    }

    func malformed(_ reason: String, at position: Int? = nil) -> PatternError {
        PatternError(reason: reason, position: position ?? self.position)
    }

    /// Skips white space and a comment if the pattern is extended. Returns whether there were any.
    mutating func skipTrivia() -> Bool {
        guard options.contains(.isExtended) else { return false }
        let start = position
        _ = accept(while: \.isPatternWhitespace)
        if accept("#") { _ = accept(while: { $0 != "\n" && $0 != "\r" && $0 != "\r\n" }) }
        return position > start
    }

    /// Calls a closure one level deeper. Throws if that is too deep.
    mutating func nested<Result>(
        _ body: (inout PatternParser) throws(PatternError) -> Result
    ) throws(PatternError) -> Result {
        guard depth < Self.maximumDepth else {
            throw malformed("groups and classes are nested deeper than \(Self.maximumDepth) levels")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}

/// Sequences and quantifiers.
extension PatternParser {
    mutating func alternation() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while accept("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let next = peek, next != "|", next != ")" {
            if skipTrivia() { continue }
            if accept("(?#") {
                _ = try text(until: ")")
            } else if accept("\\Q") {
                for scalar in quotation() { nodes.append(literal(scalar)) }
            } else {
                nodes.append(try quantified())
            }
        }
        nodes.removeAll(where: \.isEmpty)
        return nodes.isEmpty ? .empty : nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    /// Parses an operand and its quantifier.
    private mutating func quantified() throws(PatternError) -> PatternNode {
        let start = position
        if try quantifier() != nil { throw malformed("a quantifier without an operand", at: start) }
        let operand = try operand()
        let end = position
        if options.contains(.isExtended) { _ = accept(while: \.isPatternWhitespace) }
        guard let (minimum, maximum) = try quantifier() else {
            position = end
            return operand ?? .empty
        }
        if options.contains(.isExtended) { _ = accept(while: \.isPatternWhitespace) }
        if accept("+") { throw .unsupported("possessive quantifiers are", at: position - 1) }
        _ = accept("?")
        guard let operand else { throw malformed("flags cannot be repeated", at: start) }
        if case .assertion = operand, characters[start] != "(" {
            throw malformed("an anchor cannot be repeated", at: start)
        }
        if let maximum, maximum < minimum {
            throw malformed("the upper bound of a quantifier is below the lower bound", at: end)
        }
        return operand.isEmpty || maximum == 0 ? .empty : .repetition(operand, minimum, maximum)
    }

    /// Parses a quantifier. Returns nil, and reads nothing, if there is none: then a brace stands for itself.
    private mutating func quantifier() throws(PatternError) -> (Int, Int?)? {
        if accept("*") { return (0, nil) }
        if accept("+") { return (1, nil) }
        if accept("?") { return (0, 1) }
        let start = position
        guard accept("{") else { return nil }
        let lower = try bound()
        let isRange = accept(",")
        let upper = isRange ? try bound() : lower
        guard accept("}"), lower != nil || isRange && upper != nil else {
            position = start
            return nil
        }
        return (lower ?? 0, upper)
    }

    private mutating func bound() throws(PatternError) -> Int? {
        _ = accept(while: \.isPatternWhitespace)
        let start = position
        let digits = accept(while: { $0.isASCII && $0.isNumber })
        _ = accept(while: \.isPatternWhitespace)
        if digits.isEmpty { return nil }
        guard let count = Int(digits), count <= Self.maximumCount else {
            throw malformed("a quantifier above \(Self.maximumCount)", at: start)
        }
        return count
    }
}

extension Character {
    /// Whether the pattern syntax treats the character as white space.
    var isPatternWhitespace: Bool { unicodeScalars.first!.properties.isPatternWhitespace }

    /// Whether a combining mark follows a sign of the pattern syntax. A reader takes it for the sign.
    var isConfusable: Bool {
        let first = unicodeScalars.first!
        return unicodeScalars.count > 1 && first.isASCII && !first.properties.isAlphabetic
            && first.properties.numericType == nil && self != "\r\n"
    }
}
