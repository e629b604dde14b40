extension Decimal128: CustomStringConvertible {
    /// Parses a number in decimal notation, such as `12`, `-0.5`, `.5` or `6.02E+23`, or `NaN` in any case.
    ///
    /// Digits beyond the 34th are rounded, half to even, as are those after the 127th decimal place. White space, group separators and infinities are not accepted.
    ///
    /// - Throws: An error that names the text, if it is not a number or is greater than ``max`` in magnitude.
    /// - Complexity: O(n) in the length of the text.
    public init(string: String) throws {
        guard let parsed = Self.parse(string.utf8) else { throw ParseError(text: string) }
        self = parsed
    }

    /// The number in decimal notation, without trailing zeros; `NaN` for NaN.
    ///
    /// Numbers of more than 34 digits before the decimal point, and those with more than five zeros after it before
    /// the first other digit, are given with an exponent, as in `1.5E+40`. ``init(string:)`` gives the value back.
    public var description: String {
        if isNaN { return "NaN" }
        if isZero { return "0" }
        let sign = isNegative ? "-" : ""
        let digits = String(coefficient)
        let integerDigits = digits.utf8.count + exponent
        if exponent >= 0, integerDigits <= Self.maxDigits {
            return sign + digits + String(repeating: "0", count: exponent)
        }
        if exponent < 0, integerDigits > 0 {
            return sign + digits.prefix(integerDigits) + "." + digits.dropFirst(integerDigits)
        }
        if exponent < 0, integerDigits > -6 {
            return sign + "0." + String(repeating: "0", count: -integerDigits) + digits
        }
        let leading = digits.prefix(1)
        // Only numbers close to the greatest have trailing zeros in their coefficient.
        var fraction = digits.dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        let power = integerDigits - 1
        return "\(sign)\(leading)\(fraction.isEmpty ? "" : "." + fraction)E\(power < 0 ? "" : "+")\(power)"
    }

    /// The same as ``description``.
    public var stringValue: String {
        description
    }

    /// The value that the text stands for; nil if it is not a number, or one that is too large.
    static func parse(_ text: some Collection<UInt8>) -> Decimal128? {
        var rest = text[...]
        if rest.count == 3, rest.map({ $0 | 0x20 }) == Array("nan".utf8) { return .nan }
        let isNegative = parseSign(from: &rest)

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
        let value = Decimal128(
            isNegative: isNegative, coefficient: coefficient, exponent: exponent + power, hasTail: hasTail)
        return value.isNaN ? nil : value
    }

    /// The number after `E`; zero for the empty text, nil for any other.
    private static func parsePower(from text: some Collection<UInt8>) -> Int? {
        guard let marker = text.first else { return 0 }
        guard marker | 0x20 == UInt8(ascii: "e") else { return nil }
        var digits = text.dropFirst()
        let isNegative = parseSign(from: &digits)
        guard !digits.isEmpty else { return nil }
        var power = 0
        for character in digits {
            guard let digit = digitValue(character) else { return nil }
            // Far out of range already; more digits make no difference, but must not overflow.
            if power < 1 << 40 { power = power * 10 + Int(digit) }
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

    /// What is thrown for text that is not a number, and for values that do not stand for one.
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "'\(text)' is not a Decimal128: expected a decimal number, like '-12.5' or '6.02E+23', "
                + "of a magnitude below 1E+161, or 'NaN'."
        }
    }
}
