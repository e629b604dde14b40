import Foundation
import Kivo

extension QueryFuzz {
    /// Writes conditions as predicate strings.
    struct Writer {
        private(set) var arguments: [Any] = []
        /// The arguments in words.
        private(set) var texts: [String] = []
        /// The object of a number; one that is in no realm if it is gone.
        let object: (Int) -> Object
        /// Whether what has several spellings is written in its second one.
        var isFancy: Bool
        private var variables = 0

        init(isFancy: Bool, object: @escaping (Int) -> Object) {
            (self.isFancy, self.object) = (isFancy, object)
        }

        mutating func text(_ tree: Tree, _ variable: String? = nil) -> String {
            switch tree {
            case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
            case .and(let a, let b):
                let left = text(a, variable)
                return "(\(left) \(isFancy ? "&&" : "AND") \(text(b, variable)))"
            case .or(let a, let b):
                let left = text(a, variable)
                return "(\(left) \(isFancy ? "||" : "OR") \(text(b, variable)))"
            case .not(let a): return "\(isFancy ? "!" : "NOT ")(\(text(a, variable)))"
            case .comparison(let comparison): return text(comparison, variable)
            }
        }

        private mutating func text(_ comparison: Comparison, _ variable: String?) -> String {
            let options = comparison.options.isEmpty ? "" : "[\(comparison.options)]"
            var isMany = false
            if case .path(let path) = comparison.left { isMany = path.isMany }
            let prefix: String
            switch comparison.quantifier {
            case .any: prefix = isMany && !isFancy ? "ANY " : ""
            default: prefix = comparison.quantifier.rawValue + " "
            }
            let sign = comparison.sign
            if isFancy, sign.isOrder, prefix.isEmpty, case .value(let value) = comparison.right {
                if isMany, sign == .equal, options.isEmpty, value != .null {
                    return "\(literal(value)) IN \(text(comparison.left, variable))"
                }
                let left = literal(value)
                return "\(left) \(sign.flipped.rawValue)\(options) \(text(comparison.left, variable))"
            }
            let left = prefix + text(comparison.left, variable)
            switch comparison.right {
            case .value(let value): return "\(left) \(sign.rawValue)\(options) \(literal(value))"
            case .among(let values): return "\(left) IN\(options) \(list(values))"
            case .between(let low, let high): return "\(left) BETWEEN\(options) \(list([low, high]))"
            case .operand(let operand):
                return "\(left) \(sign.rawValue)\(options) \(text(operand, variable))"
            }
        }

        private mutating func text(_ operand: Operand, _ variable: String?) -> String {
            switch operand {
            case .path(let path): return text(path, variable)
            case .constant(let value): return literal(value)
            case .computed(let left, let sign, let right):
                let left = text(left, variable)
                return "(\(left) \(sign.rawValue) \(text(right, variable)))"
            case .aggregate(let path, let function, let value):
                let tail = value.map { "." + $0.names.joined(separator: ".") } ?? ""
                return "\(text(path, variable)).@\(function.rawValue)\(tail)"
            case .subquery(let path, let tree):
                variables += 1
                let inner = "$x\(variables)"
                let collection = text(path, variable)
                return "SUBQUERY(\(collection), \(inner), \(text(tree, inner))).@count"
            }
        }

        private func text(_ path: Path, _ variable: String?) -> String {
            var names = path.names
            if let variable { names.insert(variable, at: 0) } else if names.isEmpty { names = ["SELF"] }
            let name = names.joined(separator: ".")
            if case .entry(_, let key) = path.end { return "\(name)['\(key)']" }
            return name
        }

        private mutating func list(_ values: [Value]) -> String {
            if isFancy {
                texts.append("\(values)")
                return argument(values.map { plain($0) })
            }
            return "{" + values.map { literal($0) }.joined(separator: ", ") + "}"
        }

        private mutating func argument(_ value: Any) -> String {
            arguments.append(value)
            return "%@"
        }

        private func plain(_ value: Value) -> Any {
            switch value {
            case .null: NSNull()
            case .int(let int): int
            case .double(let double): double
            case .text(let text): text
            case .bool(let bool): bool
            case .date(let date): date
            case .object(let id): object(id)
            }
        }

        private mutating func literal(_ value: Value) -> String {
            switch value {
            case .null: return "nil"
            case .int(let int): return "\(int)"
            case .bool(let bool): return bool ? "true" : "NO"
            case .text(let text) where text.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == " ") }):
                return "'\(text)'"
            case .double, .text, .date, .object:
                texts.append("\(value)")
                return argument(plain(value))
            }
        }
    }
}
