/// Groups and flags.
extension PatternParser {
    /// Parses a group after its parenthesis. Returns nil if it only sets flags.
    mutating func group() throws(PatternError) -> PatternNode? {
        let start = position - 1
        var inner = options
        if accept("?") {
            for (prefix, construct) in Self.unsupportedGroups where isNext(prefix) {
                throw .unsupported(construct, at: start)
            }
            if peek?.isNumber == true { throw .unsupported("recursion is", at: start) }
            if accept("<") || accept("P<") {
                try name(until: ">")
            } else if accept("'") {
                try name(until: "'")
            } else if !accept(":") {
                inner = try flags()
                if accept(")") {
                    options = inner
                    return nil
                }
                try expect(":")
            }
        } else if isNext("*") {
            throw .unsupported("directives and callouts that begin with '(*' are", at: start)
        }
        let outer = options
        options = inner
        defer { options = outer }
        let node = try nested { parser throws(PatternError) in try parser.alternation() }
        try expect(")")
        return node
    }

    /// Constructs after `(?`. The first prefix counts.
    private static let unsupportedGroups: KeyValuePairs = [
        "=": "lookahead is", "!": "lookahead is", "*": "lookahead is",
        "<=": "lookbehind is", "<!": "lookbehind is", "<*": "lookbehind is",
        ">": "atomic groups are", "|": "branch reset groups are", "(": "conditionals are",
        "~": "absent functions are", "C": "callouts are", "{": "callouts are",
        "P=": "backreferences are", "P>": "recursion is", "&": "recursion is", "R": "recursion is",
    ]

    private mutating func name(until end: String) throws(PatternError) {
        let start = position
        let name = accept(while: { $0.isLetter || $0.isNumber || $0 == "_" })
        if name.isEmpty || name.first!.isNumber { throw malformed("expected the name of a group", at: start) }
        if isNext("-") { throw .unsupported("balanced groups are", at: start) }
        try expect(end)
        guard groupNames.insert(name).inserted else {
            throw malformed("two groups named '\(name)'", at: start)
        }
    }

    /// Parses flags and returns the options with them.
    private mutating func flags() throws(PatternError) -> Options {
        let isReset = accept("^")
        var result = isReset ? [] : options
        var isRemoving = false
        while let flag = peek, flag != ")", flag != ":" {
            if flag == "-", !isRemoving, !isReset {
                isRemoving = true
            } else if let changed = Self.flags[flag] {
                if isRemoving { result.subtract(changed) } else { result.formUnion(changed) }
            } else {
                throw malformed("unknown or unsupported flag '\(flag)'")
            }
            position += 1
        }
        return result
    }

    /// The options that each flag sets. Which groups capture (`n`) and which matches are preferred (`U`) changes no answer.
    private static let flags: [Character: Options] = [
        "i": .ignoresCase, "s": .dotMatchesNewlines, "m": .isMultiline, "x": .isExtended, "D": .asciiDigits,
        "S": .asciiSpaces, "W": .asciiWords, "P": [.asciiDigits, .asciiSpaces, .asciiWords], "n": [], "U": [],
    ]
}
