extension Decimal128 {
    static let maxDigits = 34
    static let maxCoefficient: UInt128 = powersOfTen[maxDigits] - 1
    static let minExponent = -6176
    static let maxExponent = 6111

    /// All powers of ten that fit, 10⁰ to 10³⁸.
    static let powersOfTen: [UInt128] = {
        var powers: [UInt128] = [1]
        for exponent in 0..<38 { powers.append(powers[exponent] * 10) }
        return powers
    }()

    /// Returns the number of decimal digits; 0 for zero.
    static func digitCount(_ value: UInt128) -> Int {
        let bitCount = UInt128.bitWidth - value.leadingZeroBitCount
        // 1233 / 4096 is log10(2), rounded down slightly: the estimate is exact or one too small.
        let estimate = (bitCount * 1233) >> 12
        return estimate < powersOfTen.count && value >= powersOfTen[estimate] ? estimate + 1 : estimate
    }

    /// Creates the value that is nearest to `coefficient · 10^exponent`, half to even; an infinity if that is too large.
    ///
    /// - Parameter hasTail: Whether the exact value is further from zero than the coefficient, by less than one. The coefficient
    ///   must then have at least 35 digits, so that rounding accounts for the tail.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int, hasTail: Bool = false) {
        var (digits, power) = (coefficient, exponent)

        // Excess digits and digits below the least exponent are dropped in one step: rounding twice would be wrong.
        let droppedDigits = Swift.max(Self.digitCount(digits) - Self.maxDigits, Self.minExponent - power)
        if droppedDigits >= Self.powersOfTen.count {
            digits = 0
            power += droppedDigits
        } else if droppedDigits > 0 {
            digits = Self.dividing(digits, droppedDigits, hasTail).quotient
            power += droppedDigits
        }
        if digits == 0 {
            self = .zero(isNegative: isNegative, exponent: power)
            return
        }
        if digits > Self.maxCoefficient {
            // Rounding up added a digit; the last one is zero.
            digits /= 10
            power += 1
        }
        if power > Self.maxExponent {
            let addedDigits = power - Self.maxExponent
            guard Self.digitCount(digits) + addedDigits <= Self.maxDigits else {
                self = .infinity(isNegative: isNegative)
                return
            }
            digits *= Self.powersOfTen[addedDigits]
            power = Self.maxExponent
        }
        self.init(isNegative: isNegative, packed: digits, exponent: power)
    }

    /// Returns the quotient by a power of ten, rounded half to even, and the remainder.
    static func dividing(
        _ value: UInt128, _ digits: Int, _ hasTail: Bool
    ) -> (quotient: UInt128, remainder: UInt128) {
        let unit = powersOfTen[digits]
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: unit)
        let half = unit / 2
        let roundsUp = remainder > half || (remainder == half && (hasTail || quotient & 1 == 1))
        return (roundsUp ? quotient + 1 : quotient, remainder)
    }

    /// Returns the number with fewer trailing zeros, and an exponent of at most `limit`.
    func reduced(upTo limit: Int) -> Decimal128 {
        var (digits, power) = (coefficient, exponent)
        let limit = Swift.min(limit, Self.maxExponent)
        while power < limit, Self.isMultipleOfTen(digits) {
            digits /= 10
            power += 1
        }
        return Decimal128(isNegative: isNegative, packed: digits, exponent: power)
    }

    /// Returns the number with as many more trailing zeros as fit, and an exponent of at least `limit`.
    private func padded(downTo limit: Int) -> Decimal128 {
        let digits = coefficient
        let limit = Swift.max(limit, Self.minExponent)
        let added = Swift.min(exponent - limit, Self.maxDigits - Self.digitCount(digits))
        guard added > 0 else { return self }
        return Decimal128(
            isNegative: isNegative, packed: digits * Self.powersOfTen[added], exponent: exponent - added)
    }

    /// The number with the exponent nearest to zero; with as few digits as possible, if the exponent cannot be zero.
    var withExponentNearestToZero: Decimal128 {
        guard isFinite else { return self }
        if isZero { return .zero(isNegative: isNegative, exponent: 0) }
        if exponent < 0 { return reduced(upTo: 0) }
        return Self.digitCount(coefficient) + exponent <= Self.maxDigits
            ? padded(downTo: 0) : reduced(upTo: Self.maxExponent)
    }

    /// Returns whether ten divides the value. Two 64-bit remainders replace a 128-bit division: 2⁶⁴ leaves 1 when divided by 5.
    private static func isMultipleOfTen(_ value: UInt128) -> Bool {
        let low = UInt64(truncatingIfNeeded: value)
        guard low & 1 == 0 else { return false }
        let high = UInt64(truncatingIfNeeded: value >> 64)
        return (high % 5 + low % 5) % 5 == 0
    }
}
