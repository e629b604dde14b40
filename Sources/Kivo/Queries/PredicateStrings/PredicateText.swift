import Foundation
import KivoObserving

/// The text of predicate strings with arguments.
package enum PredicateText {
    /// Returns a predicate string in which the arguments stand in place of their placeholders, as literals where the language has
    /// such. Traps with a message if the string does not consist of tokens, or if arguments are missing.
    package static func inserting(_ arguments: [Any], into format: String) -> String {
        var next = arguments.makeIterator()
        return replacing(format) { token in
            switch token.kind {
            case .argument, .numberArgument: next.next().map(literal)
            case .keyPathArgument: next.next().map { "\($0)" }
            case .variable(let name):
                Int(name).flatMap { arguments.indices.contains($0) ? literal(arguments[$0]) : nil }
            default: nil
            }
        }
    }

    /// Returns a predicate string whose numbers are taken from a list of C arguments. Traps with a message if it has other
    /// placeholders, because such lists do not describe what they hold.
    package static func inserting(_ arguments: CVaListPointer, into format: String) -> String {
        let text = replacing(format) { token in
            switch token.kind {
            case .string: return token.text.replacingOccurrences(of: "%", with: "%%")
            // 17 digits represent a double exactly, unlike the six that are the default.
            case .numberArgument where "fFeEgG".contains(token.text.last!): return "%.17g"
            case .argument, .keyPathArgument:
                trap(
                    "A list of C arguments holds numbers only, not what '\(token.text)' of \"\(format)\" takes: give an array."
                )
            default: return nil
            }
        }
        return NSString(format: text, arguments: arguments) as String
    }

    /// Returns a format with some of its tokens replaced.
    private static func replacing(_ format: String, _ replacement: (PredicateToken) -> String?) -> String {
        let tokens = PredicateSyntaxError.trapping { () throws(PredicateSyntaxError) in
            try PredicateLexer.tokens(of: format)
        }
        let scalars = Array(format.unicodeScalars)
        var (text, end) = (String.UnicodeScalarView(), 0)
        for token in tokens {
            guard let new = replacement(token) else { continue }
            text += scalars[end..<token.offset]
            text += new.unicodeScalars
            end = token.offset + token.text.unicodeScalars.count
        }
        text += scalars[end...]
        return String(text)
    }

    private static func literal(_ value: Any) -> String {
        switch flatten(value) {
        case nil, is NSNull: "NULL"
        // Foundation's numbers 0 and 1 can also be cast to Bool.
        case let value? where isNumber(value): "\(value)"
        case let text as String: quoted(text)
        case let flag as Bool: flag ? "TRUE" : "FALSE"
        case let id as UUID: "uuid(\(id.uuidString))"
        case let id as ObjectId: "oid(\(id.stringValue))"
        case let data as Data:
            "data(\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()))"
        case let number as Decimal128: "decimal(\(number))"
        case let date as Date: "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        case let values as [Any]: "{" + values.map(literal).joined(separator: ", ") + "}"
        case let value?: "\(value)"
        }
    }

    /// Whether a value is one of Foundation's numbers, and no truth value.
    private static func isNumber(_ value: Any) -> Bool {
        guard type(of: value) is NSNumber.Type, let number = value as? NSNumber else { return false }
        return !number.isTruthValue
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
            of: "\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
