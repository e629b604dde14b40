import Foundation

extension Decimal128 {
    /// Creates the number that is nearest to an integer. Integers of up to 34 digits are converted exactly.
    public init(_ value: some BinaryInteger) {
        let (coefficient, exponent, hasTail) = Self.digits(of: value)
        self.init(
            isNegative: value < 0, coefficient: coefficient, exponent: exponent, hasTail: hasTail)
    }

    /// Creates the number that is equal to an integer; nil if it has more than 34 significant digits.
    public init?(exactly source: some BinaryInteger) {
        let (coefficient, exponent, hasTail) = Self.digits(of: source)
        let value = Decimal128(isNegative: source < 0, coefficient: coefficient, exponent: exponent)
        guard !hasTail, value.isFinite else { return nil }
        // Rounding drops digits of the coefficient; no other step changes the value.
        guard value.isZero || value.coefficient * Self.powersOfTen[value.exponent - exponent] == coefficient
        else { return nil }
        self = value
    }

    /// Creates the decimal number of the shortest text that represents `value`, with the exponent nearest to zero: `0.1` becomes
    /// one tenth. Infinities and NaN are preserved.
    public init(_ value: Double) {
        self = value.isNaN ? .nan : Self.parse(value.description.utf8)?.withExponentNearestToZero ?? .nan
    }

    /// Creates the decimal number of the shortest text that represents `value`, with the exponent nearest to zero: `0.1` becomes
    /// one tenth. Infinities and NaN are preserved.
    public init(_ value: Float) {
        self = value.isNaN ? .nan : Self.parse(value.description.utf8)?.withExponentNearestToZero ?? .nan
    }

    /// Creates the number that is nearest to a Foundation decimal, which can have four more digits.
    public init(_ value: Decimal) {
        self = value.isNaN ? .nan : Self.parse(value.description.utf8)?.withExponentNearestToZero ?? .nan
    }

    /// Creates the number that is nearest to the value of an `NSNumber`: an integer, a boolean (zero or one), or a binary or
    /// decimal floating point number.
    public init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self.init(decimal.decimalValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): self.init(number.doubleValue)
        case UInt8(ascii: "f"): self.init(number.floatValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): self.init(number.uint64Value)
        default: self.init(number.int64Value)
        }
    }

    /// Converts a value whose type is known only at run time.
    ///
    /// - Parameter value: A `Decimal128`, an integer of any type, `Double`, `Float`, `Decimal`, `NSNumber`, or a `String` as for
    ///   ``init(string:)``; the null marker (`NSNull`) is NaN.
    /// - Precondition: The value is one of these, and a text is a number.
    public init(value: Any) {
        if value is NSNull {
            self = .nan
            return
        }
        guard let converted = Decimal128(converting: value) else {
            trap("'\(value)' is no decimal number.")
        }
        self = converted
    }

    /// Converts a value whose type is known only at run time. Returns nil if it is no number.
    init?(converting value: Any) {
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            // Checked before the Swift types: an `NSNumber` can also be cast to those, but not always to its own type.
            self.init(number: number)
            return
        }
        switch value {
        case let decimal as Decimal128: self = decimal
        case let text as String:
            guard let decimal = try? Decimal128(string: text) else { return nil }
            self = decimal
        case let decimal as Decimal: self.init(decimal)
        case let integer as any BinaryInteger: self.init(integer)
        case let double as Double: self.init(double)
        case let float as Float: self.init(float)
        case let number as NSNumber: self.init(number: number)
        default: return nil
        }
    }

    /// The number as a Foundation decimal, whose exponents are -127 to 127. The result is exact, or rounded if the number has
    /// digits below that. NaN for a number that is too large, for infinities and for NaN.
    public var decimalValue: Decimal {
        guard isFinite else { return .nan }
        var (digits, power) = (coefficient, exponent)
        if power < Self.minFoundationExponent {
            let dropped = Self.minFoundationExponent - power
            digits = dropped < Self.powersOfTen.count ? Self.dividing(digits, dropped, false).quotient : 0
            power = Self.minFoundationExponent
        } else if power > Self.maxFoundationExponent, digits != 0 {
            let added = power - Self.maxFoundationExponent
            guard Self.digitCount(digits) + added < Self.powersOfTen.count else { return .nan }
            digits *= Self.powersOfTen[added]
            power = Self.maxFoundationExponent
        }
        if digits == 0 { return 0 }
        // `Decimal`'s arithmetic moves trailing zeros to the exponent even if that overflows. Its parser does not, so text is
        // exact up to the greatest number.
        return Decimal(string: "\(isNegative ? "-" : "")\(digits)E\(power)") ?? .nan
    }

    private static let minFoundationExponent = -127
    private static let maxFoundationExponent = 127

    /// The nearest binary floating point number; an infinity for a number that is too large.
    public var doubleValue: Double {
        if isNaN { return .nan }
        let magnitude: Double
        if isInfinite {
            magnitude = .infinity
        } else {
            let digits = coefficient
            // Numbers that are out of range need no parsing.
            let power = exponent + Self.digitCount(digits)
            magnitude =
                digits == 0 || power < -400
                ? 0 : power > 400 ? .infinity : Double("\(digits)E\(exponent)") ?? .infinity
        }
        return isNegative ? -magnitude : magnitude
    }

    /// Returns the magnitude of an integer, or its first 38 or 39 digits if it needs more than 128 bits.
    private static func digits(of value: some BinaryInteger) -> (UInt128, exponent: Int, hasTail: Bool) {
        var magnitude = value.magnitude
        var exponent = 0
        var hasTail = false
        while true {
            if let coefficient = UInt128(exactly: magnitude) { return (coefficient, exponent, hasTail) }
            let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
            magnitude = quotient
            hasTail = hasTail || remainder != 0
            exponent += 1
        }
    }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// Creates a value from an integer literal.
    public init(integerLiteral value: Int64) {
        self.init(value)
    }

    /// Creates a value from a floating point literal, through `Double`.
    ///
    /// `0.1` is one tenth, but digits beyond the 15th may change. Use a string literal for a longer constant.
    public init(floatLiteral value: Double) {
        self.init(value)
    }

    /// Creates a value from a string literal, like ``init(string:)``.
    ///
    /// - Precondition: The text is a number.
    public init(stringLiteral value: String) {
        guard let parsed = Self.parse(value.utf8) else {
            fatalError(ParseError(text: value).description)
        }
        self = parsed
    }
}

extension Decimal128: Codable {
    /// Decodes a number from its text, or from a number.
    ///
    /// - Throws: A `DecodingError` if there is neither.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let decoded: Decimal128?
        if let text = try? container.decode(String.self) {
            decoded = Self.parse(text.utf8)
        } else if let integer = try? container.decode(Int64.self) {
            decoded = Decimal128(integer)
        } else if let decimal = try? container.decode(Decimal.self) {
            // If the format writes decimal digits, like JSON, this preserves all of them.
            decoded = Self.parse(decimal.description.utf8)
        } else if let double = try? container.decode(Double.self) {
            decoded = Decimal128(double)
        } else {
            decoded = nil
        }
        guard let decoded else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "There is no decimal number.")
        }
        self = decoded
    }

    /// Encodes the number as text, ``description``, which preserves all of its digits in every format.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
