@testable import Kivo

/// Conditions in a short notation.
enum QueryNodeSummary {
    static func text(_ node: QueryNode) -> String {
        switch node {
        case .constant(let value): "\(value)"
        case .and(let left, let right): "(\(text(left)) && \(text(right)))"
        case .or(let left, let right): "(\(text(left)) || \(text(right)))"
        case .not(let condition): "!(\(text(condition)))"
        case .comparison(let comparison): text(comparison)
        }
    }

    private static func text(_ comparison: QueryComparison) -> String {
        let quantifier = comparison.quantifier == .any ? "" : "\(comparison.quantifier) "
        let letters =
            (comparison.options.contains(.caseInsensitive) ? "c" : "")
            + (comparison.options.contains(.diacriticInsensitive) ? "d" : "")
        let sign = comparison.operator.rawValue + (letters.isEmpty ? "" : "[\(letters)]")
        return "\(quantifier)\(text(comparison.left)) \(sign) \(text(comparison.right))"
    }

    private static func text(_ operand: QueryOperand) -> String {
        switch operand {
        case .value(let value): text(value)
        case .path(let path): text(path)
        case .arithmetic(let left, let sign, let right): "(\(text(left)) \(sign.rawValue) \(text(right)))"
        case .subquery(let path, let condition): "#(\(text(path)): \(text(condition)))"
        }
    }

    private static func text(_ path: QueryPath) -> String {
        let way = text(path.components)
        guard let (function, rest) = path.aggregate else { return way }
        return "\(way)@\(function.rawValue)\(rest.isEmpty ? "" : "(\(text(rest)))")"
    }

    private static func text(_ components: [QueryPath.Component]) -> String {
        let words = components.map { component in
            switch component {
            case .property(let name): name
            case .keys: "<keys>"
            case .values: "<values>"
            case .key(let key): "<\(key)>"
            case .index(let index): "<\(index)>"
            case .all: "<*>"
            case .type: "<@type>"
            }
        }
        return words.isEmpty ? "self" : words.joined(separator: ".")
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let string as String: "'\(string)'"
        case let values as [Any?]: "{\(values.map { text($0) }.joined(separator: ", "))}"
        case let object as ObjectBase: "<\(type(of: object).className())>"
        case .some(let value): "\(value)"
        }
    }
}
