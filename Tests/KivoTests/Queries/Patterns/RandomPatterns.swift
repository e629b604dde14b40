import TestRandomness

/// Random patterns, and strings of which many match.
///
/// Strings are short and quantifiers small, so that the backtracking of `Regex` ends.
struct RandomPatterns {
    /// A pattern, and a string that resembles its matches.
    typealias Sample = (pattern: String, string: String)

    var generator: RandomSource

    static let alphabet: [Unicode.Scalar] = [
        "a", "b", "B", "k", "\u{212A}", "1", "_", " ", "-", "@", "`", "é", "É", "ß", "ẞ", "İ", "i", "I", "ı",
        "ſ", "s",
        "ǅ", "Ω", "\u{2126}", "😀", "\u{301}", "٣", "½", "一", "\t", "\n", "\r", "\u{B}", "\u{85}", "\u{2028}",
    ]
    private static let classes = [
        ".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\h", "\\H", "\\v", "\\V", "\\p{L}", "\\P{Lu}",
        "\\p{Alphabetic}",
        "\\p{Ll}", "\\p{Whitespace}", "[:alpha:]", "[:^alnum:]", "[[:upper:]]", "\\p{N}", "\\p{Emoji}",
        "\\p{M}",
    ]
    private static let anchors = ["^", "$", "\\A", "\\z", "\\Z", "\\G", "\\b", "\\B"]
    private static let flags = ["i", "s", "m", "-i", "is", "sm", "D", "W", "S", "P", "x", "n-s"]

    private mutating func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Returns a pattern and some strings.
    mutating func sample() -> (pattern: String, strings: [String]) {
        let sample = node(3)
        var strings = [String(String.UnicodeScalarView(sample.string.unicodeScalars.prefix(10)))]
        for _ in 0..<3 {
            var scalars = Array(strings[0].unicodeScalars)
            for _ in 0...random(0..<2) {
                let index = random(0..<scalars.count + 1)
                switch random(0..<5) {
                case 0: if index < scalars.count { scalars.remove(at: index) }
                case 1: if index < scalars.count { scalars[index] = scalar() }
                case 2: scalars.insert(contentsOf: Array("\r\n".unicodeScalars), at: index)
                case 3: if index < scalars.count { scalars.insert(scalars[index], at: index) }
                default: scalars.insert(scalar(), at: index)
                }
            }
            strings.append(String(String.UnicodeScalarView(scalars)))
        }
        strings.append(String(String.UnicodeScalarView((0..<random(0..<5)).map { _ in scalar() })))
        return (sample.pattern, strings)
    }

    private mutating func scalar() -> Unicode.Scalar { Self.alphabet.randomElement(using: &generator)! }

    private mutating func node(_ depth: Int) -> Sample {
        switch random(0..<(depth == 0 ? 6 : 14)) {
        case 0, 1, 2: return literal()
        case 3: return (Self.classes.randomElement(using: &generator)!, String(scalar()))
        case 4: return characterClass(1)
        case 5: return (Self.anchors.randomElement(using: &generator)!, "")
        case 6, 7, 8, 9:
            let nodes = (0..<random(1..<4)).map { _ in node(depth - 1) }
            return (nodes.map(\.pattern).joined(), nodes.map(\.string).joined())
        case 10:
            let nodes = [node(depth - 1), node(depth - 1)]
            return ("(?:\(nodes[0].pattern)|\(nodes[1].pattern))", nodes[random(0..<2)].string)
        case 11:
            let node = node(depth - 1)
            return ("(?\(Self.flags.randomElement(using: &generator)!):\(node.pattern))", node.string)
        default:
            var node = Bool.random(using: &generator) ? node(depth - 1) : operand()
            if Bool.random(using: &generator) { node.pattern = "(\(node.pattern))" } else { node = operand() }
            let quantifiers = [
                ("*", 0), ("*", 2), ("+", 1), ("+", 3), ("?", 0), ("?", 1), ("{2}", 2), ("{1,}", 2),
                ("{0,2}", 1), ("{,2}", 2),
                ("*?", 3), ("+?", 1), ("??", 0), ("{1,2}?", 2), ("{0}", 0),
            ]
            let (quantifier, count) = quantifiers.randomElement(using: &generator)!
            return (node.pattern + quantifier, String(repeating: node.string, count: count))
        }
    }

    private mutating func operand() -> Sample {
        switch random(0..<5) {
        case 0, 1: (Self.classes.randomElement(using: &generator)!, String(scalar()))
        case 2: characterClass(1)
        case 3: ("\\R", ["\n", "\r\n", "\r", "\u{85}"].randomElement(using: &generator)!)
        default: literal()
        }
    }

    private mutating func literal() -> Sample {
        let scalar = scalar()
        return (Self.text(scalar), String(scalar))
    }

    private static func text(_ scalar: Unicode.Scalar) -> String {
        scalar.properties.isPatternWhitespace || scalar == "\u{301}" || scalar == "-"
            ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }

    private mutating func characterClass(_ depth: Int) -> Sample {
        var members = ""
        var candidates = [scalar()]
        for _ in 0..<random(1..<4) {
            switch random(0..<(depth == 0 ? 5 : 7)) {
            case 0, 1:
                candidates.append(scalar())
                members += Self.text(candidates.last!)
            case 2:
                // Regex refuses the ohm and kelvin signs as bounds, because their normal forms are letters.
                let bounds = [scalar(), scalar()].filter { $0 != "\u{2126}" && $0 != "\u{212A}" }.sorted()
                members += bounds.map { "\\u{\(String($0.value, radix: 16))}" }.joined(separator: "-")
                candidates += bounds
            case 3, 4: members += Self.classes.dropFirst().randomElement(using: &generator)!
            case 5: members += characterClass(depth - 1).pattern
            default:
                let left = scalar()
                candidates.append(left)
                let sign = ["&&", "--", "~~"].randomElement(using: &generator)!
                members += Self.text(left) + sign + characterClass(depth - 1).pattern
            }
        }
        let negation = random(0..<3) == 0 ? "^" : ""
        let string = String(candidates.randomElement(using: &generator)!)
        return ("[\(negation)\(members.isEmpty ? "a" : members)]", string)
    }
}
