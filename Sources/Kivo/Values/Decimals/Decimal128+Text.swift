import Foundation

extension Decimal128: CustomStringConvertible {
    /// Parses a number in the notation of the standard, such as `12`, `-0.50`, `.5` or `6.02E+23`; or `Infinity`, `Inf` or `NaN`,
    /// in any case.
    ///
    /// Digits beyond the 34th are rounded, half to even, and so are those after the 6176th decimal place. Overflow returns an
    /// infinity. White space and group separators are not accepted.
    ///
    /// In sources that `import RealmSwift` there is another initialiser of this name, which throws nothing and is preferred.
    ///
    /// - Throws: An error that contains the text, if it is not a number.
    /// - Complexity: O(n) in the length of the text.
    @_disfavoredOverload
    public init(string: String) throws {
        guard let parsed = Self.parse(string.utf8) else { throw ParseError(text: string) }
        self = parsed
    }

    /// The number, without superfluous zeros: with all digits before the decimal point if these are at most 34, and without an
    /// exponent if at most five zeros follow the point: `1.5`, `1000`, `1.23E40`, `1.5E-7`, `Infinity`, `NaN`.
    /// ``init(string:)`` restores the value.
    public var description: String {
        if isNaN { return "NaN" }
        if isZero { return "0" }
        let sign = isNegative ? "-" : ""
        if isInfinite { return sign + "Infinity" }
        let shown = withExponentNearestToZero
        let digits = String(shown.coefficient)
        let integerDigits = digits.utf8.count + shown.exponent
        if shown.exponent == 0 { return sign + digits }
        if shown.exponent < 0, integerDigits > 0 {
            return sign + digits.prefix(integerDigits) + "." + digits.dropFirst(integerDigits)
        }
        if shown.exponent < 0, integerDigits > -6 {
            return sign + "0." + String(repeating: "0", count: -integerDigits) + digits
        }
        // Near the greatest exponent, zeros are part of the coefficient.
        let zeros = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        let fraction = digits.dropLast(zeros).dropFirst()
        return "\(sign)\(digits.prefix(1))\(fraction.isEmpty ? "" : "." + fraction)E\(integerDigits - 1)"
    }

    /// The number as text, like ``description``.
    public var stringValue: String {
        description
    }

    /// Returns the value that the text represents, or nil if it represents none.
    package static func parse(_ text: some Collection<UInt8>) -> Decimal128? {
        var rest = text[...]
        let isNegative = parseSign(from: &rest)
        if let first = rest.first, first | 0x20 >= UInt8(ascii: "i") {
            return parseSpecial(String(decoding: rest, as: UTF8.self).lowercased(), isNegative)
        }

        var coefficient: UInt128 = 0
        var exponent = 0
        var (hasDigits, hasPoint, hasTail) = (false, false, false)
        while let character = rest.first {
            if character == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if let digit = digitValue(character) {
                hasDigits = true
                if coefficient < powersOfTen[37] {
                    coefficient = coefficient * 10 + UInt128(digit)
                    if hasPoint { exponent -= 1 }
                } else {
                    hasTail = hasTail || digit != 0
                    if !hasPoint { exponent += 1 }
                }
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        guard hasDigits, let power = parsePower(from: rest) else { return nil }
        return Decimal128(
            isNegative: isNegative, coefficient: coefficient, exponent: exponent + power, hasTail: hasTail)
    }

    private static func parseSpecial(_ text: String, _ isNegative: Bool) -> Decimal128? {
        if text == "inf" || text == "infinity" { return .infinity(isNegative: isNegative) }
        // The payload of a NaN is discarded, and a signalling NaN becomes a quiet one.
        let rest =
            text.hasPrefix("snan") ? text.dropFirst(4) : text.hasPrefix("nan") ? text.dropFirst(3) : nil
        return rest.map { $0.utf8.allSatisfy { digitValue($0) != nil } } == true ? .nan : nil
    }

    /// Returns the number after `E`; zero for the empty text, nil for any other.
    private static func parsePower(from text: some Collection<UInt8>) -> Int? {
        guard let marker = text.first else { return 0 }
        guard marker | 0x20 == UInt8(ascii: "e") else { return nil }
        var digits = text.dropFirst()
        let isNegative = parseSign(from: &digits)
        guard !digits.isEmpty else { return nil }
        var power = 0
        for character in digits {
            guard let digit = digitValue(character) else { return nil }
            // The power is far out of range already. More digits make no difference, but must not overflow, also together with
            // the digits before the power.
            if power < Int.max / 20 { power = power * 10 + Int(digit) }
        }
        return isNegative ? -power : power
    }

    private static func parseSign<Text: Collection<UInt8>>(from text: inout Text) -> Bool
    where Text.SubSequence == Text {
        guard let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
            return false
        }
        text = text.dropFirst()
        return sign == UInt8(ascii: "-")
    }

    private static func digitValue(_ character: UInt8) -> UInt8? {
        let digit = character &- UInt8(ascii: "0")
        return digit <= 9 ? digit : nil
    }

    /// The error for text that is not a number.
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "'\(text)' is not a Decimal128: expected a decimal number, like '-12.5' or '6.02E+23', "
                + "'Infinity' or 'NaN'."
        }
    }
}
