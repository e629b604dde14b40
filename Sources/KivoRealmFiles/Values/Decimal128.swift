extension RealmFile {
    /// A decimal number of 34 digits, with the bits of IEEE 754-2008 in the binary integer encoding.
    ///
    /// Numbers with the same value but different exponents, for example 0 and 0.00, have different bits and are not equal here.
    public struct Decimal128: Hashable, Sendable {
        static let exponentBias = 6176

        /// The upper 64 bits: sign, exponent, and the top of the coefficient.
        public let high: UInt64
        /// The lower 64 bits of the coefficient.
        public let low: UInt64

        /// Creates a number from its bits.
        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// A Boolean value that indicates whether this is not a number.
        public var isNaN: Bool { high >> 58 & 0x1F == 0x1F }
        /// A Boolean value that indicates whether this is plus or minus infinity.
        public var isInfinite: Bool { high >> 58 & 0x1F == 0x1E }
        /// A Boolean value that indicates whether the sign is minus. Zero can have it, too.
        public var isNegative: Bool { high >> 63 == 1 }
        /// The power of ten by which the coefficient is multiplied. It is undefined for infinity and NaN.
        public var exponent: Int { Int(high >> 49 & 0x3FFF) - Decimal128.exponentBias }
        /// The digits as an integer. They are undefined for infinity and NaN.
        public var coefficient: (high: UInt64, low: UInt64) { (high & 0x1_FFFF_FFFF_FFFF, low) }
    }
}

extension RealmFile.Decimal128: CustomStringConvertible {
    /// The number in decimal notation. It has an exponent if it is very small or would otherwise have zeros that are not digits
    /// of the coefficient.
    public var description: String {
        if isNaN { return "NaN" }
        let sign = isNegative ? "-" : ""
        if isInfinite { return sign + "Inf" }
        let digits = RealmFile.Decimal128.digits(coefficient)
        // The exponent in scientific notation, with the point after the first digit.
        let scientific = exponent + digits.count - 1
        if exponent == 0 { return sign + digits }
        if exponent < 0, scientific >= 0 {
            let point = digits.index(digits.endIndex, offsetBy: exponent)
            return sign + digits[..<point] + "." + digits[point...]
        }
        let rest = digits.dropFirst()
        let power = scientific == 0 ? "" : "E\(scientific)"
        return sign + digits.prefix(1) + (rest.isEmpty ? "" : ".") + rest + power
    }

    private static func digits(_ coefficient: (high: UInt64, low: UInt64)) -> String {
        // 10^19 is the greatest power of ten in 64 bits, and the coefficient has 113 bits: it takes two parts.
        let unit: UInt64 = 10_000_000_000_000_000_000
        let (quotient, remainder) = unit.dividingFullWidth((coefficient.high, coefficient.low))
        if quotient == 0 { return String(remainder) }
        let low = String(remainder)
        return String(quotient) + String(repeating: "0", count: 19 - low.utf8.count) + low
    }
}
