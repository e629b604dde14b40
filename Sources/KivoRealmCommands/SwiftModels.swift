import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// A writer of a file's classes as Swift source.
///
/// The classes have the same storage as the file's, so that a realm with its objects opens with them. Names that Swift or Kivo
/// does not allow are replaced, and `propertiesMapping()` maps them to the stored names.
package struct SwiftModels {
    private let classes: FileClasses
    private let names: Set<String>
    private var lines: [String] = []

    /// Prepares the classes of a file.
    package init(_ schema: RealmFile.Schema) {
        classes = FileClasses(schema)
        names = Set(classes.classes.map(\.definition.name))
    }

    /// Returns the source.
    package static func source(_ schema: RealmFile.Schema) -> String {
        var models = SwiftModels(schema)
        models.write()
        return models.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() {
        lines = ["import Foundation", "import Kivo"]
        for storable in classes.classes { write(storable) }
        for (table, reason) in classes.refused {
            lines += ["", "// Class \(SwiftName.comment(table.className)) is left out: \(reason)."]
        }
    }

    private mutating func write(_ storable: FileClasses.StorableClass) {
        let definition = storable.definition
        lines.append("")
        for refused in classes.refusedProperties where refused.className == definition.name {
            lines.append("// Property \(SwiftName.comment(refused.name)) is left out: \(refused.reason).")
        }
        let base = qualified(definition.isEmbedded ? "EmbeddedObject" : "Object")
        lines.append("class \(SwiftName.ofClass(definition.name)): \(base) {")
        var taken = Set(definition.properties.map(\.name))
        var mapping: [(name: String, stored: String)] = []
        for property in definition.properties {
            var name = SwiftName.ofProperty(property.name)
            if name == nil {
                var other = SwiftName.made(of: property.name)
                while !taken.insert(other).inserted { other += "_" }
                mapping.append((other, property.name))
                name = other
            }
            lines.append(
                "    @Persisted\(attributes(property)) var \(name!): \(type(property))")
        }
        if !mapping.isEmpty {
            let entries = mapping.map { "\(SwiftName.literal($0.name)): \(SwiftName.literal($0.stored))" }
            lines += [
                "", "    override class func propertiesMapping() -> [String: String] {",
                "        [\(entries.joined(separator: ", "))]", "    }",
            ]
        }
        lines.append("}")
    }

    private func attributes(_ property: ClassDefinition.Property) -> String {
        property.isPrimaryKey ? "(primaryKey: true)" : property.isIndexed ? "(indexed: true)" : ""
    }

    private func type(_ property: ClassDefinition.Property) -> String {
        let element =
            (property.target.map(SwiftName.ofClass)
                ?? qualified(property.scalar!.name, property.scalar!.module))
            + (property.isOptional ? "?" : "")
        return switch property.collection {
        case .list: qualified("List") + "<\(element)>"
        case .set: qualified("MutableSet") + "<\(element)>"
        case .map: qualified("Map") + "<\(qualified("String", "Swift")), \(element)>"
        case .none, .linkingObjects: element
        }
    }

    /// Returns the name of a type, with its module if a class of the file has the same name.
    private func qualified(_ name: String, _ module: String = "Kivo") -> String {
        names.contains(name) ? "\(module).\(name)" : name
    }
}

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
        "description", "debugDescription", "realm", "isInvalidated", "isFrozen", "objectSchema", "hash",
        "hashValue", "self", "init", "Type", "Protocol", "Self", "isEqual", "customMirror", "deinit",
        "subscript", "_",
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
