import Foundation

/// A token of a predicate's format: a word, a literal, a placeholder or a sign.
struct PredicateToken {
    enum Kind: Equatable {
        /// A keyword or a name.
        case word(String)
        /// A name that is not a keyword, however it is spelt: `#in`, or `#'Order No.'`.
        case escapedWord(String)
        /// `$x`, without the sign.
        case variable(String)
        /// `@count`, without the sign.
        case collectionOperator(String)
        case string(String)
        case integer(Int)
        case double(Double)
        /// A value that is written as a function: `uuid(…)`.
        case value(AnyHashable)
        /// `%@`
        case argument
        /// `%d` and other placeholders for numbers.
        case numberArgument
        /// `%K`
        case keyPathArgument
        case sign(String)
        case end
    }

    let kind: Kind
    /// The token as it is written.
    let text: String
    /// The token's offset in the format, in Unicode scalars.
    let offset: Int
}

/// Splits a predicate's format into tokens.
///
/// The lexer reads Unicode scalars, not characters, because a combining mark after a quotation mark belongs to the string.
struct PredicateLexer {
    let format: String
    let scalars: [Unicode.Scalar]
    var offset = 0
    /// Whether the previous token ends an operand, so that a minus after it is a subtraction.
    private(set) var followsOperand = false

    /// Returns the tokens of a format, the last of which is ``PredicateToken/Kind/end``.
    static func tokens(of format: String) throws(PredicateSyntaxError) -> [PredicateToken] {
        var lexer = PredicateLexer(format: format, scalars: Array(format.unicodeScalars))
        var tokens: [PredicateToken] = []
        repeat {
            try tokens.append(lexer.next())
        } while tokens.last?.kind != .end
        return tokens
    }

    func error(_ problem: PredicateSyntaxError.Problem, at offset: Int) -> PredicateSyntaxError {
        PredicateSyntaxError(problem, atScalar: offset, of: format)
    }

    func scalar(ahead distance: Int = 0) -> Unicode.Scalar? {
        offset + distance < scalars.count ? scalars[offset + distance] : nil
    }

    func text(from start: Int) -> String { text(start..<offset) }

    func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range])
        return String(text)
    }

    mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
        while let scalar = scalar(), condition(scalar) { offset += 1 }
    }

    private mutating func next() throws(PredicateSyntaxError) -> PredicateToken {
        skip { $0.properties.isWhitespace }
        let start = offset
        let kind = try nextKind()
        followsOperand = kind.endsOperand
        return PredicateToken(kind: kind, text: text(from: start), offset: start)
    }

    private mutating func nextKind() throws(PredicateSyntaxError) -> PredicateToken.Kind {
        guard let first = scalar() else { return .end }
        switch first {
        case "'", "\"": return .string(try string())
        case "%": return try placeholder()
        case "#": return .escapedWord(try escapedName())
        case "$": return .variable(try name(after: "$", mayBeginWithDigit: true))
        case "@": return .collectionOperator(try name(after: "@"))
        default: break
        }
        if startsNumber { return try number() }
        if first.beginsName { return try word() }
        return .sign(try sign())
    }

    private mutating func word() throws(PredicateSyntaxError) -> PredicateToken.Kind {
        let start = offset
        skip { $0.continuesName }
        let word = text(from: start)
        return try value(calledBy: word, from: start) ?? .word(word)
    }

    private mutating func escapedName() throws(PredicateSyntaxError) -> String {
        guard let quote = scalar(ahead: 1), quote == "'" || quote == "\"" else { return try name(after: "#") }
        offset += 1
        return try string()
    }

    private mutating func name(
        after sign: Character, mayBeginWithDigit: Bool = false
    ) throws(PredicateSyntaxError) -> String {
        offset += 1
        let start = offset
        if let scalar = scalar(), scalar.beginsName || mayBeginWithDigit { skip { $0.continuesName } }
        guard offset > start else {
            let found = scalar().map { "'\($0)'" } ?? "the end"
            throw error(.unexpected(expected: "a name after '\(sign)'", found: found), at: offset)
        }
        return text(from: start)
    }

    /// Reads a placeholder for an argument: `%@`, `%K`, or one of C's for numbers, whose size and format are ignored. `%%` takes no
    /// argument: it is the string of a percent sign.
    private mutating func placeholder() throws(PredicateSyntaxError) -> PredicateToken.Kind {
        let start = offset
        offset += 1
        switch scalar() {
        case "@":
            offset += 1
            return .argument
        case "K":
            offset += 1
            return .keyPathArgument
        case "%":
            offset += 1
            return .string("%")
        default: break
        }
        skip { "0123456789.".unicodeScalars.contains($0) }
        skip { "hlqLztj".unicodeScalars.contains($0) }
        guard let conversion = scalar(), "dDiuUxXoOfFeEgGaA".unicodeScalars.contains(conversion) else {
            if scalar()?.continuesName == true { offset += 1 }
            throw error(
                .refused(
                    "Unknown placeholder '\(text(from: start))'; those for arguments are %@, %K, %d, %f"),
                at: start)
        }
        offset += 1
        return .numberArgument
    }

    private mutating func sign() throws(PredicateSyntaxError) -> String {
        let start = offset
        for length in [2, 1] where start + length <= scalars.count {
            let sign = text(start..<start + length)
            guard Self.signs.contains(sign) else { continue }
            offset += length
            return sign
        }
        let character = scalars[start]
        switch character {
        case "&", "|":
            throw error(.refused("Unknown operator '\(character)'; write it twice"), at: start)
        default: throw error(.refused("Unknown character '\(character)'"), at: start)
        }
    }

    private static let signs: Set<String> = [
        "=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "!", "&&", "||",
        "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/",
    ]
}

extension PredicateToken.Kind {
    /// Whether an operand can end with this token, so that a minus after it is not the sign of a number.
    fileprivate var endsOperand: Bool {
        switch self {
        case .word(let word): !PredicateWords.keywords.contains(word.lowercased())
        case .sign(let sign): sign == ")" || sign == "]"
        case .end: false
        default: true
        }
    }
}

extension Unicode.Scalar {
    /// Whether a property's name can begin with this scalar. Includes all scalars that Swift allows, also emoji.
    fileprivate var beginsName: Bool {
        if isASCII { return self == "_" || properties.isAlphabetic }
        return properties.isXIDStart || properties.isEmoji
    }

    var continuesName: Bool {
        if isASCII { return beginsName || properties.numericType == .decimal }
        return beginsName || properties.isXIDContinue || properties.isJoinControl
    }
}
