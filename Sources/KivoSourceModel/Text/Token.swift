/// A word, a literal or a sign of a source file.
package struct Token: Sendable {
    package enum Kind: UInt8, Sendable {
        /// An identifier or a keyword.
        case word
        case number
        /// A string literal without interpolations.
        case string
        /// A string literal with interpolations. The tokens in them follow it, and begin before it ends.
        case interpolatedString
        case regex
        /// `(`, `[` or `{`.
        case opening
        /// `)`, `]` or `}`.
        case closing
        /// A word after `#`, including the sign.
        case pound
        /// `->`, or any other sign as a single character.
        case sign
    }

    package let kind: Kind
    package let start: Int
    package let end: Int
    /// Whether it is the first of its line.
    package let isFirstOfLine: Bool

    package var range: Range<Int> { start..<end }
}
