import Foundation

extension PredicateLexer {
    /// Whether a number begins here. A minus is its sign, unless the minus follows an operand.
    var startsNumber: Bool {
        if scalar() == "-", followsOperand { return false }
        var distance = scalar() == "-" ? 1 : 0
        if scalar(ahead: distance) == "." { distance += 1 }
        return scalar(ahead: distance)?.isDigit == true
    }

    mutating func number() throws(PredicateSyntaxError) -> PredicateToken.Kind {
        let start = offset
        let sign = scalar() == "-" ? "-" : ""
        offset += sign.utf8.count
        if scalar() == "0", scalar(ahead: 1) == "x" || scalar(ahead: 1) == "X" {
            offset += 2
            let digits = offset
            skip { $0.properties.isASCIIHexDigit }
            guard offset > digits else { throw malformedNumber(from: start) }
            return try integer(sign + text(from: digits), radix: 16, from: start)
        }
        skip { $0.isDigit }
        var isWhole = true
        if scalar() == ".", scalar(ahead: 1)?.isDigit == true {
            isWhole = false
            offset += 1
            skip { $0.isDigit }
        }
        if scalar() == "e" || scalar() == "E" {
            isWhole = false
            offset += 1
            if scalar() == "+" || scalar() == "-" { offset += 1 }
            guard scalar()?.isDigit == true else { throw malformedNumber(from: start) }
            skip { $0.isDigit }
        }
        if isWhole { return try integer(text(from: start), radix: 10, from: start) }
        guard scalar()?.continuesName != true, let value = Double(text(from: start)) else {
            throw malformedNumber(from: start)
        }
        guard value.isFinite else {
            throw error(.refused("'\(text(from: start))' is too large for a number"), at: start)
        }
        return .double(value)
    }

    private mutating func integer(
        _ digits: String, radix: Int, from start: Int
    ) throws(PredicateSyntaxError) -> PredicateToken.Kind {
        guard scalar()?.continuesName != true else { throw malformedNumber(from: start) }
        guard let value = Int(digits, radix: radix) else {
            throw error(.refused("'\(text(from: start))' is too large for an integer"), at: start)
        }
        return .integer(value)
    }

    private mutating func malformedNumber(from start: Int) -> PredicateSyntaxError {
        skip { $0.continuesName }
        return error(.refused("'\(text(from: start))' is not a number"), at: start)
    }

    /// The functions that write values, and the texts that they take.
    private static let functions:
        [String: (expected: String, value: @Sendable (_ text: String) -> AnyHashable?)] = [
            "uuid": ("a UUID", { UUID(uuidString: $0) }),
            "oid": ("an ObjectId, which has 24 hexadecimal digits", { try? ObjectId(string: $0) }),
            "date": ("a date such as 2024-12-31 or 2024-12-31T23:59:59.5Z", { Date(iso8601: $0) }),
            "data": ("data, which has two hexadecimal digits for each byte", { Data(hexadecimal: $0) }),
            "decimal": ("a decimal number", { try? Decimal128(string: $0) }),
        ]

    /// Returns the value that a function writes with a text, or nil, and what the function takes.
    static func value(of text: String, calledBy word: String) -> (value: AnyHashable?, expected: String) {
        let function = functions[word]!
        return (function.value(text), function.expected)
    }

    /// Reads the value that a function writes; returns nil if a word is no such function, or not called.
    mutating func value(
        calledBy word: String, from start: Int
    ) throws(PredicateSyntaxError) -> PredicateToken.Kind? {
        guard let function = Self.functions[word.lowercased()], let text = try parenthesized() else {
            return nil
        }
        guard let value = function.value(text) else {
            throw error(.refused("'\(text)' is not \(function.expected)"), at: start)
        }
        return .value(value)
    }

    /// Reads the text between the parentheses that follow; returns nil if none follow. The text need not consist of tokens,
    /// because ids can begin with digits or with letters.
    private mutating func parenthesized() throws(PredicateSyntaxError) -> String? {
        var probe = self
        probe.skip { $0.properties.isWhitespace }
        guard probe.scalar() == "(" else { return nil }
        probe.offset += 1
        let start = probe.offset
        probe.skip { $0 != ")" }
        let content = probe.text(from: start)
        guard probe.scalar() == ")" else {
            throw error(.unexpected(expected: "')'", found: "the end"), at: probe.offset)
        }
        offset = probe.offset + 1
        return content.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    mutating func string() throws(PredicateSyntaxError) -> String {
        let start = offset
        let quote = scalars[start]
        var content = String.UnicodeScalarView()
        offset += 1
        while let scalar = scalar() {
            if scalar == quote {
                offset += 1
                return String(content)
            }
            if scalar == "\\" {
                content.append(try escaped())
            } else {
                content.append(scalar)
                offset += 1
            }
        }
        throw error(.refused("The string that begins here does not end"), at: start)
    }

    private mutating func escaped() throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = offset
        offset += 2
        switch scalars[start...].dropFirst().first {
        case "'": return "'"
        case "\"": return "\""
        case "\\": return "\\"
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "u": return try unicodeScalar(from: start)
        // After a backslash at the end of the format the string is unterminated, which is the error to report.
        case nil:
            offset = scalars.count
            return "\\"
        case let other?:
            throw error(
                .refused("Unknown escape '\\\(other)'; a backslash itself is written '\\\\'"), at: start)
        }
    }

    /// Reads a scalar from its hexadecimal code. As in other languages with such escapes, scalars above U+FFFF are written as a
    /// pair of surrogates.
    private mutating func unicodeScalar(from start: Int) throws(PredicateSyntaxError) -> Unicode.Scalar {
        let first = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), scalar() == "\\", scalar(ahead: 1) == "u" else {
            throw error(.refused("'\(text(from: start))' is half of a character"), at: start)
        }
        offset += 2
        let second = try codeUnit(from: offset - 2)
        let code = 0x1_0000 + UInt32(first & 0x3FF) << 10 + UInt32(second & 0x3FF)
        guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(code) else {
            throw error(.refused("'\(text(from: start))' is no character"), at: start)
        }
        return scalar
    }

    private mutating func codeUnit(from start: Int) throws(PredicateSyntaxError) -> UInt16 {
        let digits = scalars[offset...].prefix(4).prefix { $0.properties.isASCIIHexDigit }
        offset += digits.count
        guard digits.count == 4, let code = UInt16(text(offset - 4..<offset), radix: 16) else {
            throw error(.refused("'\\u' takes four hexadecimal digits"), at: start)
        }
        return code
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { "0"..."9" ~= self }
}
