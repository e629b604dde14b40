import Foundation

/// Names of a file as names of Swift.
enum SwiftName {
    /// A class, which has its name whatever that is: between backticks if it is no identifier, which takes Swift 6.2.
    static func ofClass(_ name: String) -> String {
        isIdentifier(name) && !keywords.contains(name) && !typeNames.contains(name)
            ? name : "`\(name.filter { $0 != "`" && $0 != "\\" && !$0.isNewline })`"
    }

    /// A property of this name, nil if it has to have another.
    static func ofProperty(_ name: String) -> String? {
        guard isIdentifier(name), !members.contains(name) else { return nil }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// An identifier that resembles a name.
    static func made(of name: String) -> String {
        var made = String(name.map { isPart($0) ? $0 : "_" }).precomposedStringWithCanonicalMapping
        if made.first.map({ !isStart($0) }) ?? true { made = "_" + made }
        return isIdentifier(made) && !members.contains(made) && !keywords.contains(made)
            && made.contains(where: { $0 != "_" })
            ? made : "value" + made.filter { $0.isASCII }
    }

    /// A text as Swift writes it.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\" + String(scalar)
            case _ where scalar.value < 32 || scalar.value == 127:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A text that stays in a line of a comment.
    static func comment(_ text: String) -> String { literal(text) }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, isStart(first), name.allSatisfy(isPart),
            name.contains(where: { $0 != "_" })
        else { return false }
        // Composed otherwise it would be another name for who types it.
        return name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8)
    }

    private static func isStart(_ character: Character) -> Bool {
        character == "_" || character.isLetter && isSimple(character)
    }

    private static func isPart(_ character: Character) -> Bool {
        isStart(character) || character.isASCII && character.isNumber
    }

    /// Whether a letter is one that identifiers may begin with in every version of Swift.
    private static func isSimple(_ character: Character) -> Bool {
        character.unicodeScalars.count == 1 && character.unicodeScalars.first!.properties.isXIDStart
    }

    /// Names which classes of models have for other things.
    private static let members: Set<String> = [
        "description", "debugDescription", "realm", "isInvalidated", "isFrozen", "objectSchema", "hashValue",
        "self", "init", "Type", "Protocol", "Self", "isEqual", "customMirror", "deinit", "subscript", "_",
    ]

    private static let typeNames: Set<String> = ["Type", "Protocol", "Self", "Any"]

    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "static", "struct", "super", "switch", "throw", "throws",
        "true",
        "try", "typealias", "var", "where", "while",
    ]
}
