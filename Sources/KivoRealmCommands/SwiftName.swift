import Foundation

/// A conversion of a file's names to names in Swift.
enum SwiftName {
    /// Returns the name of a class, which stays the same. It is in backticks if it is not an identifier, which requires Swift
    /// 6.2.
    static func ofClass(_ name: String) -> String {
        isIdentifier(name) && !keywords.contains(name) && !typeNames.contains(name)
            ? name : "`\(name.filter { $0 != "`" && $0 != "\\" && !$0.isNewline })`"
    }

    /// Returns a property's name in source, or nil if the property must be renamed.
    static func ofProperty(_ name: String) -> String? {
        guard isIdentifier(name), !members.contains(name) else { return nil }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Returns an identifier that resembles a name.
    static func made(of name: String) -> String {
        var made = String(name.map { isPart($0) ? $0 : "_" }).precomposedStringWithCanonicalMapping
        if made.first.map({ !isStart($0) }) ?? true { made = "_" + made }
        return isIdentifier(made) && !members.contains(made) && !keywords.contains(made)
            && made.contains(where: { $0 != "_" })
            ? made : "value" + made.filter { $0.isASCII }
    }

    /// Returns a text as a Swift string literal.
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

    /// Returns a text that fits on one line of a comment.
    static func comment(_ text: String) -> String { literal(text) }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, isStart(first), name.allSatisfy(isPart),
            name.contains(where: { $0 != "_" })
        else { return false }
        // In another Unicode composition, it would differ from the same name as typed.
        return name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8)
    }

    private static func isStart(_ character: Character) -> Bool {
        character == "_" || character.isLetter && isSimple(character)
    }

    private static func isPart(_ character: Character) -> Bool {
        isStart(character) || character.isASCII && character.isNumber
    }

    /// Whether identifiers may begin with the letter in every version of Swift.
    private static func isSimple(_ character: Character) -> Bool {
        character.unicodeScalars.count == 1 && character.unicodeScalars.first!.properties.isXIDStart
    }

    /// Member names that have another meaning in model classes.
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
