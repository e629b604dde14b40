/// A regular expression as conditions have it: strings match it as a whole, one Unicode scalar after the other.
///
/// `Regex` is not marked as sendable because one that is built of parsers can hold anything. This one is made of a pattern,
/// so that it consists of values; the program that it is compiled to is published atomically, and is there since `init`.
struct RegularExpression: @unchecked Sendable, CustomStringConvertible {
    private let pattern: String
    private let regex: Regex<AnyRegexOutput>
    private let folding: (@Sendable (String) -> String)?

    /// The expression of a pattern. Throws if the pattern is malformed.
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
        // Only parsers of the user's throw.
        (try? regex.wholeMatch(in: folding?(string) ?? string)) != nil
    }
}
