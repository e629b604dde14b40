import KivoEngine

/// A regular expression in a condition. It matches whole strings, by Unicode scalars.
///
/// `Regex` is not sendable, because a regex that is built from parsers can hold any value. This regex is created from a pattern,
/// so that it consists of values. The program to which it is compiled is published atomically, and exists since `init`.
struct RegularExpression: @unchecked Sendable, CustomStringConvertible {
    private let pattern: String
    private let regex: Regex<AnyRegexOutput>
    private let folding: TextTest.Folding?

    /// Creates an expression from a pattern. Throws if the pattern is malformed.
    init(_ pattern: String, _ options: StringOptions) throws {
        self.pattern = pattern
        folding = options.subtracting(.caseInsensitive).folding
        let regex = try Regex(folding?(pattern) ?? pattern).matchingSemantics(.unicodeScalar)
        self.regex = options.contains(.caseInsensitive) ? regex.ignoresCase() : regex
        _ = try self.regex.wholeMatch(in: "")
    }

    var description: String { pattern }

    /// Whether a string matches.
    func matches(_ string: String) -> Bool {
        // Matching throws only in custom parsers, which a pattern cannot contain.
        (try? regex.wholeMatch(in: folding?(string) ?? string)) != nil
    }
}
