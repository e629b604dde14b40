extension Decimal128 {
    static let maxDigits = 34
    static let maxCoefficient: UInt128 = powersOfTen[maxDigits] - 1
    static let minExponent = -127
    static let maxExponent = 127

    /// All powers of ten that fit, 10⁰ to 10³⁸.
    static let powersOfTen: [UInt128] = {
        var powers: [UInt128] = [1]
        for exponent in 0..<38 { powers.append(powers[exponent] * 10) }
        return powers
    }()

    /// The number of decimal digits; none for zero.
    static func digitCount(_ value: UInt128) -> Int {
        let bitCount = UInt128.bitWidth - value.leadingZeroBitCount
        // 1233 / 4096 is log10(2), a little rounded down: the estimate is right or one too small.
        let estimate = (bitCount * 1233) >> 12
        return estimate < powersOfTen.count && value >= powersOfTen[estimate] ? estimate + 1 : estimate
    }

    /// Creates the value that is nearest to `coefficient · 10^exponent`, half to even; NaN if that is too large.
    ///
    /// - Parameter hasTail: Whether the exact value is a little further from zero than the coefficient says, by less
    ///   than one. The coefficient then needs at least 35 digits, so that rounding decides what becomes of it.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int, hasTail: Bool = false) {
        var coefficient = coefficient
        var exponent = exponent

        // Digits that are too many and digits that are too small go in one step: rounding twice would be wrong.
        let droppedDigits = Swift.max(
            Self.digitCount(coefficient) - Self.maxDigits, Self.minExponent - exponent)
        if droppedDigits >= Self.powersOfTen.count {
            coefficient = 0
        } else if droppedDigits > 0 {
            let unit = Self.powersOfTen[droppedDigits]
            let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: unit)
            let half = unit / 2
            let roundsUp = remainder > half || (remainder == half && (hasTail || quotient & 1 == 1))
            coefficient = roundsUp ? quotient + 1 : quotient
            exponent += droppedDigits
        }
        guard coefficient != 0 else {
            self.init()
            return
        }

        while exponent < Self.maxExponent, Self.isMultipleOfTen(coefficient) {
            coefficient /= 10
            exponent += 1
        }
        if exponent > Self.maxExponent {
            let addedDigits = exponent - Self.maxExponent
            guard Self.digitCount(coefficient) + addedDigits <= Self.maxDigits else {
                self = .nan
                return
            }
            coefficient *= Self.powersOfTen[addedDigits]
            exponent = Self.maxExponent
        }
        guard coefficient <= Self.maxCoefficient else {
            self = .nan
            return
        }
        self.init(canonicalIsNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }

    /// Costs two 64-bit remainders instead of a 128-bit division: 2⁶⁴ leaves 1 when divided by 5.
    private static func isMultipleOfTen(_ value: UInt128) -> Bool {
        let low = UInt64(truncatingIfNeeded: value)
        guard low & 1 == 0 else { return false }
        let high = UInt64(truncatingIfNeeded: value >> 64)
        return (high % 5 + low % 5) % 5 == 0
    }
}
