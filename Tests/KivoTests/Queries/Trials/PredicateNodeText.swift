import Foundation
import XCTest

@testable import Kivo

/// Writes conditions as predicate strings, from which the same conditions can be read.
struct PredicateNodeWriter {
    /// If there are any, values become placeholders, and are added here.
    var arguments: [Any?]?
    /// If there is one, everything is written in one of the ways in which it can be.
    var random: RandomSource?
    private var depth = 0

    init(arguments: [Any?]? = nil, random: RandomSource? = nil) {
        self.arguments = arguments
        self.random = random
    }

    mutating func text(_ node: QueryNode) -> String {
        switch node {
        case .constant(let value): return spelled(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
        case .not(let node): return spelled("NOT") + " " + text(node)
        case .and:
            return "(" + Self.parts(of: node, isAnd: true).map { text($0) }.joined(separator: glue("AND"))
                + ")"
        case .or:
            return "(" + Self.parts(of: node, isAnd: false).map { text($0) }.joined(separator: glue("OR"))
                + ")"
        case .comparison(let comparison): return text(comparison)
        }
    }

    /// The conditions that are joined with the same operator, in whichever tree.
    private static func parts(of node: QueryNode, isAnd: Bool) -> [QueryNode] {
        switch node {
        case .and(let a, let b) where isAnd: parts(of: a, isAnd: true) + parts(of: b, isAnd: true)
        case .or(let a, let b) where !isAnd: parts(of: a, isAnd: false) + parts(of: b, isAnd: false)
        default: [node]
        }
    }

    private mutating func text(_ comparison: QueryComparison) -> String {
        let prefix =
            switch comparison.quantifier {
            case .any: random?.chance(30) == true ? "ANY " : ""
            case .all: "ALL "
            case .none: "NONE "
            }
        var options = ""
        if comparison.options.contains(.caseInsensitive) { options += "c" }
        if comparison.options.contains(.diacriticInsensitive) { options += "d" }
        if !options.isEmpty { options = "[\(options)]" }
        let turned = ["<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="]
        let sign = comparison.operator.rawValue
        if let opposite = turned[sign], case .value = comparison.right, random?.chance(30) == true {
            return prefix + text(comparison.right) + " " + spelled(opposite) + options + " "
                + text(comparison.left)
        }
        return prefix + text(comparison.left) + " " + spelled(sign) + options + " " + text(comparison.right)
    }

    private mutating func text(_ operand: QueryOperand) -> String {
        switch operand {
        case .path(let path): return text(path)
        case .value(let value):
            guard arguments != nil else { return Self.literal(value) }
            arguments!.append((value as? RegularExpression)?.description ?? value)
            return "%@"
        case .arithmetic(let left, let sign, let right):
            return "(\(text(left)) \(sign.rawValue) \(text(right)))"
        case .subquery(let collection, let node):
            let collection = text(collection)
            depth += 1
            defer { depth -= 1 }
            return "SUBQUERY(\(collection), \(variable), \(text(node))).@count"
        }
    }

    private var variable: String { "$" + (depth < 4 ? ["", "x", "y", "z"][depth] : "v\(depth)") }

    private func text(_ path: QueryPath) -> String {
        var names = path.components
        var result = depth > 0 ? variable : ""
        if depth == 0, case .property(let name)? = names.first {
            result = Self.name(name)
            names.removeFirst()
        } else if depth == 0 {
            result = "SELF"
        }
        result += names.map(Self.text).joined()
        if let (function, names) = path.aggregate {
            result += ".@" + function.rawValue + names.map(Self.text).joined()
        }
        return result
    }

    private static func text(_ component: QueryPath.Component) -> String {
        switch component {
        case .property(let name): "." + (isPlain(name) ? name : Self.name(name))
        case .keys: ".@keys"
        case .values: ".@values"
        case .key(let key): "[" + literal(key) + "]"
        case .index(let index): "[\(index)]"
        case .all: "[*]"
        case .type: ".@type"
        }
    }

    /// A name as it is written: with a sign before it if it is a word of the language, and quoted if it is none at all.
    private static func name(_ name: String) -> String {
        if !isPlain(name) { return "#" + literal(name) }
        return (keywords.contains(name.lowercased()) ? "#" : "") + name
    }

    private static func isPlain(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0 != "\"" && $0 != "'" }
    }

    private static let keywords: Set<String> = [
        "all", "and", "any", "beginswith", "between", "contains", "endswith", "false", "falsepredicate", "in",
        "geowithin", "like", "matches", "nil", "no", "none", "not", "null", "or", "self", "some", "subquery",
        "true",
        "truepredicate", "yes",
    ]

    private static func literal(_ value: Any?) -> String {
        switch value {
        case nil: return "nil"
        case let string as String:
            let escapes: [Unicode.Scalar: String] = ["\\": #"\\"#, "'": #"\'"#, "\n": #"\n"#, "\r": #"\r"#]
            return "'" + string.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "'"
        case let expression as RegularExpression: return literal(expression.description)
        case let box as GeoBox: return "geoBox(\(literal(box.bottomLeft)), \(literal(box.topRight)))"
        case let circle as GeoCircle: return "geoCircle(\(literal(circle.center)), \(circle.radians))"
        case let polygon as GeoPolygon:
            let rings = [polygon.outerRing] + (polygon.holes ?? [])
            return "geoPolygon(\(rings.map { literal($0) }.joined(separator: ", ")))"
        case let point as GeoPoint: return "[\(point.longitude), \(point.latitude)]"
        case let bool as Bool: return "\(bool)"
        case let id as UUID: return "uuid(\(id))"
        case let id as ObjectId: return "oid(\(id))"
        case let list as [Any?]: return "{" + list.map(literal).joined(separator: ", ") + "}"
        case let other?: return "\(other)"
        }
    }

    private mutating func glue(_ word: String) -> String { " " + spelled(word) + " " }

    private mutating func spelled(_ word: String) -> String {
        guard random != nil else { return word }
        let others = [
            "AND": ["&&", "and"], "OR": ["||", "or"], "NOT": ["!", "Not"], "==": ["="], "!=": ["<>"],
            "<=": ["=<"],
            ">=": ["=>"],
        ]
        let spellings = [word, word.lowercased()] + others[word, default: []]
        return spellings.randomElement(using: &random!)!
    }
}

extension QueryNode {
    /// The condition as a predicate string with its values in it.
    var text: String {
        var writer = PredicateNodeWriter()
        return writer.text(self)
    }
}

extension XCTestCase {
    /// Checks what a predicate string means, by the text that is written for it.
    func check(
        _ format: String, _ arguments: Any?..., means expected: String, line: UInt = #line
    ) {
        do {
            let text = try PredicateParser.parse(format, arguments).text
            XCTAssertEqual(text, expected, line: line)
        } catch {
            XCTFail("\(error)", line: line)
        }
    }
}
