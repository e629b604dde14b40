import Foundation

extension QueryFuzz {
    enum Class: Int, Sendable { case thing, holder }

    /// A value of a property, or an object by its number.
    enum Value: Sendable, Hashable {
        case null
        case int(Int)
        case double(Double)
        case text(String)
        case bool(Bool)
        case date(Date)
        case object(Int)

        var number: Double? {
            switch self {
            case .int(let int): Double(int)
            case .double(let double): double
            case .bool(let bool): bool ? 1 : 0
            case .date(let date): date.timeIntervalSinceReferenceDate
            case .null, .text, .object: nil
            }
        }

        /// The order in which values are sorted: null first, NaN last.
        static func compare(_ a: Value, _ b: Value) -> Int {
            if case .null = a { return b == .null ? 0 : -1 }
            if case .null = b { return 1 }
            switch (a, b) {
            case (.text(let x), .text(let y)):
                if x.utf8.elementsEqual(y.utf8) { return 0 }
                return x.utf8.lexicographicallyPrecedes(y.utf8) ? -1 : 1
            case (.object(let x), .object(let y)): return x < y ? -1 : x > y ? 1 : 0
            default:
                let (x, y) = (a.number!, b.number!)
                if x.isNaN || y.isNaN { return x.isNaN && y.isNaN ? 0 : x.isNaN ? 1 : -1 }
                return x < y ? -1 : x > y ? 1 : 0
            }
        }

        /// Whether two values compare so: null equals null, differs from everything else, and nothing is less
        /// or greater than it.
        static func holds(_ sign: Sign, _ a: Value, _ b: Value, _ options: String) -> Bool {
            switch (a, b) {
            case (.null, .null): return sign.holdsForNull
            case (.null, _), (_, .null): return sign == .notEqual
            case (.text(let x), .text(let y)):
                if sign == .matches { return matches(x, expression: y, options) }
                return holds(sign, fold(x, options), fold(y, options))
            case (.object(let x), .object(let y)): return sign == .equal ? x == y : x != y
            default: break
            }
            // Not all large integers are doubles.
            if case .int(let x) = a, case .int(let y) = b { return holds(sign, x, y) }
            return holds(sign, a.number!, b.number!)
        }

        private static func holds<Number: Comparable>(_ sign: Sign, _ x: Number, _ y: Number) -> Bool {
            switch sign {
            case .equal: x == y
            case .notEqual: x != y
            case .less: x < y
            case .lessOrEqual: x <= y
            case .greater: x > y
            case .greaterOrEqual: x >= y
            case .begins, .ends, .contains, .like, .matches: false
            }
        }

        private static func fold(_ text: String, _ options: String) -> String {
            if options.isEmpty { return text }
            var folding: String.CompareOptions = []
            if options.contains("c") { folding.insert(.caseInsensitive) }
            if options.contains("d") { folding.insert(.diacriticInsensitive) }
            return text.folding(options: folding, locale: nil)
        }

        private static func holds(_ sign: Sign, _ x: String, _ y: String) -> Bool {
            let (a, b) = (Array(x.utf8), Array(y.utf8))
            switch sign {
            case .equal: return a == b
            case .notEqual: return a != b
            case .less: return a.lexicographicallyPrecedes(b)
            case .lessOrEqual: return !b.lexicographicallyPrecedes(a)
            case .greater: return b.lexicographicallyPrecedes(a)
            case .greaterOrEqual: return !a.lexicographicallyPrecedes(b)
            // No text contains an empty one.
            case .begins: return !b.isEmpty && a.starts(with: b)
            case .ends: return !b.isEmpty && a.reversed().starts(with: b.reversed())
            case .contains: return !b.isEmpty && (0...a.count).contains { a[$0...].starts(with: b) }
            case .matches: return false
            case .like: return matches(Array(x.unicodeScalars)[...], Array(y.unicodeScalars)[...])
            }
        }

        /// Returns whether Foundation's regular expression matches; these expressions are not the subject of the tests.
        private static func matches(_ text: String, expression: String, _ options: String) -> Bool {
            let marks = options.contains("d") ? "d" : ""
            let (text, pattern) = (fold(text, marks), fold(expression, marks))
            let expression = try! NSRegularExpression(
                pattern: "^(?:\(pattern))\\z", options: options.contains("c") ? .caseInsensitive : [])
            let range = NSRange(location: 0, length: text.utf16.count)
            return expression.firstMatch(in: text, range: range) != nil
        }

        private static func matches(
            _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
        ) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return matches(text, pattern.dropFirst())
                    || !text.isEmpty && matches(text.dropFirst(), pattern)
            }
            if first == "\\", pattern.count > 1 {
                return text.first == pattern.dropFirst().first
                    && matches(text.dropFirst(), pattern.dropFirst(2))
            }
            guard let scalar = text.first, first == "?" || first == scalar else { return false }
            return matches(text.dropFirst(), pattern.dropFirst())
        }
    }

    /// How two values are compared.
    enum Sign: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case begins = "BEGINSWITH"
        case ends = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"

        static let order: [Sign] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]

        var isOrder: Bool { Sign.order.contains(self) }

        /// Whether it holds for null and null.
        var holdsForNull: Bool { [.equal, .lessOrEqual, .greaterOrEqual, .like].contains(self) }

        var flipped: Sign {
            switch self {
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            default: self
            }
        }
    }
}
