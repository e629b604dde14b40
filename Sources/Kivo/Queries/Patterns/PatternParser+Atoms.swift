/// Operands of quantifiers.
extension PatternParser {
    /// The meaning of a literal or an escape.
    enum Atom {
        /// The scalars of one character.
        case literal([Unicode.Scalar])
        case set(ScalarSet)
        case node(PatternNode)
    }

    /// Parses one operand of a quantifier. Returns nil for flags.
    mutating func operand() throws(PatternError) -> PatternNode? {
        switch peek {
        case "(":
            position += 1
            return try group()
        case ".":
            position += 1
            return leaf(options.contains(.dotMatchesNewlines) ? .all : .newline.complement)
        case "^":
            position += 1
            return .assertion(options.contains(.isMultiline) ? .lineStart : .start)
        case "$":
            position += 1
            return .assertion(options.contains(.isMultiline) ? .lineEnd : .end)
        case "[":
            position += 1
            if let set = try posixClass() { return leaf(set) }
            return leaf(try characterClass())
        default:
            switch try atom(inClass: false) {
            case .set(let set): return leaf(set)
            case .node(let node): return node
            case .literal(let scalars):
                if scalars.count == 1 { return literal(scalars[0]) }
                return .sequence(scalars.map { literal($0) })
            }
        }
    }

    mutating func literal(_ scalar: Unicode.Scalar) -> PatternNode {
        leaf(folded(ScalarSet([scalar.value...scalar.value])))
    }

    /// Returns and skips the text up to `\E` or the end.
    mutating func quotation() -> String.UnicodeScalarView {
        let start = position
        while peek != nil, !isNext("\\E") { position += 1 }
        defer { _ = accept("\\E") }
        return String(characters[start..<position]).unicodeScalars
    }

    func folded(_ set: ScalarSet) -> ScalarSet {
        options.contains(.ignoresCase) ? set.foldingCase : set
    }

    mutating func atom(inClass: Bool) throws(PatternError) -> Atom {
        let start = position
        let character = characters[position]
        position += 1
        if character == "\\" { return try escape(inClass: inClass, at: start) }
        if character.isConfusable {
            throw malformed("a combining mark after '\(character.unicodeScalars.first!)'", at: start)
        }
        return .literal(Array(character.unicodeScalars))
    }
}

/// Escapes.
extension PatternParser {
    private static let controls: [Character: Unicode.Scalar] = [
        "n": "\n", "t": "\t", "r": "\r", "f": "\u{C}", "a": "\u{7}", "e": "\u{1B}",
    ]

    /// Parses an escape after its backslash.
    mutating func escape(inClass: Bool, at start: Int) throws(PatternError) -> Atom {
        guard let character = peek else { throw malformed("nothing follows the backslash", at: start) }
        position += 1
        if !inClass, let node = try escapedNode(character, at: start) { return .node(node) }
        if let set = escapedClass(character) { return .set(set) }
        if let control = Self.controls[character] { return .literal([control]) }
        switch character {
        case "b" where inClass: return .literal(["\u{8}"])
        case "p" where accept("{"), "P" where accept("{"):
            let set = try property(at: start)
            try expect("}")
            return .set(character == "P" ? set.complement : set)
        case "N" where accept("{U+"), "x" where accept("{"):
            return .literal([try scalar(try text(until: "}"), radix: 16, at: start)])
        case "o" where accept("{"): return .literal([try scalar(try text(until: "}"), radix: 8, at: start)])
        case "u" where accept("{"):
            // Several scalars in one pair of braces are a sequence, and a class takes one.
            let texts = try text(until: "}").split(whereSeparator: \.isPatternWhitespace)
            var scalars: [Unicode.Scalar] = []
            for text in texts { scalars.append(try scalar(String(text), radix: 16, at: start)) }
            if scalars.isEmpty || inClass && scalars.count > 1 {
                throw malformed("expected one hexadecimal number", at: start)
            }
            return .literal(scalars)
        case "x":
            let digits = accept(while: \.isHexDigit, atMost: 2)
            return .literal([try scalar(digits.isEmpty ? "0" : digits, radix: 16, at: start)])
        case "0":
            let digits = accept(while: { "0"..."7" ~= $0 }, atMost: 3)
            return .literal([try scalar(digits.isEmpty ? "0" : digits, radix: 8, at: start)])
        case "u", "U":
            let length = character == "u" ? 4 : 8
            let digits = accept(while: \.isHexDigit, atMost: length)
            guard digits.count == length else { throw malformed("expected \(length) hexadecimal digits") }
            return .literal([try scalar(digits, radix: 16, at: start)])
        default:
            guard character.isASCII ? !character.isLetter && !character.isNumber : character.isWhitespace
            else {
                throw malformed("unknown or unsupported escape '\\\(character)'", at: start)
            }
            return .literal(Array(character.unicodeScalars))
        }
    }

    /// Returns the anchor or the sequence that an escape stands for. Throws if no automaton can match it.
    private mutating func escapedNode(
        _ character: Character, at start: Int
    ) throws(PatternError) -> PatternNode? {
        switch character {
        // The first position of a match is the start of the string, because the whole string matches.
        case "A", "G": return .assertion(.start)
        case "z": return .assertion(.end)
        case "Z": return .assertion(.endBeforeNewline)
        case "b", "B":
            let word: PatternContext = options.contains(.asciiWords) ? .asciiWord : .word
            return .assertion(.wordBoundary(word, isNegated: character == "B"))
        case "R":
            // A line feed after a carriage return always belongs to the same newline.
            let (carriageReturn, lineFeed) = (leaf(ScalarSet([0xD...0xD])), leaf(.lineFeed))
            let newlines = options.contains(.asciiSpaces) ? ScalarSet.newline.intersection(.ascii) : .newline
            return .choice([
                leaf(newlines.subtracting(ScalarSet([0xD...0xD]))), .sequence([carriageReturn, lineFeed]),
                .sequence([carriageReturn, .assertion(.notBeforeLineFeed)]),
            ])
        case "1"..."9", "k", "g": throw .unsupported("backreferences are", at: start)
        case "X", "y", "Y": throw .unsupported("grapheme clusters, '\\\(character)', are", at: start)
        default: return nil
        }
    }

    private func escapedClass(_ character: Character) -> ScalarSet? {
        let (set, asciiOption): (ScalarSet, Options)
        switch character {
        case "d", "D": (set, asciiOption) = (.digit, .asciiDigits)
        case "w", "W": (set, asciiOption) = (.word, .asciiWords)
        case "s", "S": (set, asciiOption) = (.whitespace, .asciiSpaces)
        case "h", "H": (set, asciiOption) = (.horizontalWhitespace, .asciiSpaces)
        case "v", "V": (set, asciiOption) = (.newline, .asciiSpaces)
        default: return nil
        }
        let members = options.contains(asciiOption) ? set.intersection(.ascii) : set
        return character.isUppercase ? members.complement : members
    }

    private func scalar(_ digits: String, radix: Int, at start: Int) throws(PatternError) -> Unicode.Scalar {
        guard digits.allSatisfy({ $0.isHexDigit }), let value = UInt32(digits, radix: radix),
            let scalar = Unicode.Scalar(value)
        else { throw malformed("'\(digits.prefix(20))' is not the number of a Unicode scalar", at: start) }
        return scalar
    }

    /// Parses the name of a property.
    mutating func property(at start: Int) throws(PatternError) -> ScalarSet {
        let name = accept(while: { !":[]}\\".contains($0) })
        guard let set = ScalarSet.property(name) else {
            throw malformed("unknown or unsupported property '\(name.prefix(50))'", at: start)
        }
        return set
    }
}
