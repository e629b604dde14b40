extension Decimal128: SignedNumeric {
    /// The type of an absolute value.
    public typealias Magnitude = Decimal128

    /// Returns the sum, rounded to 34 digits; NaN if an operand is NaN or they are infinities of opposite signs.
    public static func + (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        if lhs.isNaN || rhs.isNaN { return .nan }
        if lhs.isInfinite { return rhs.isInfinite && lhs.isNegative != rhs.isNegative ? .nan : lhs }
        if rhs.isInfinite { return rhs }
        let exponent = Swift.min(lhs.exponent, rhs.exponent)
        if lhs.isZero, rhs.isZero {
            return .zero(isNegative: lhs.isNegative && rhs.isNegative, exponent: exponent)
        }
        if lhs.isZero { return rhs }
        if rhs.isZero { return lhs }
        return lhs.exponent >= rhs.exponent ? sum(lhs, finer: rhs) : sum(rhs, finer: lhs)
    }

    /// Returns the difference, rounded to 34 digits; NaN if an operand is NaN or they are infinities of one sign.
    public static func - (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        lhs + -rhs
    }

    /// Returns the product, rounded to 34 digits; NaN if an operand is NaN, or one is zero and the other infinite.
    public static func * (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        if lhs.isNaN || rhs.isNaN { return .nan }
        let isNegative = lhs.isNegative != rhs.isNegative
        if lhs.isInfinite || rhs.isInfinite {
            return lhs.isZero || rhs.isZero ? .nan : .infinity(isNegative: isNegative)
        }
        let exponent = lhs.exponent + rhs.exponent
        if lhs.isZero || rhs.isZero { return .zero(isNegative: isNegative, exponent: exponent) }
        let (left, right) = (lhs.coefficient, rhs.coefficient)
        let product = left.multipliedFullWidth(by: right)
        // Rounding needs only the first 36 to 38 digits, and a flag for dropped digits other than zero.
        let droppedDigits = Swift.max(0, digitCount(left) + digitCount(right) - 38)
        let (kept, tail) = powersOfTen[droppedDigits].dividingFullWidth(product)
        return Decimal128(
            isNegative: isNegative, coefficient: kept, exponent: exponent + droppedDigits, hasTail: tail != 0)
    }

    /// Returns the quotient, rounded to 34 digits. Dividing a number other than zero by zero returns an infinity. Returns NaN if
    /// an operand is NaN, or both are zero or infinite.
    public static func / (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        if lhs.isNaN || rhs.isNaN { return .nan }
        let isNegative = lhs.isNegative != rhs.isNegative
        if lhs.isInfinite { return rhs.isInfinite ? .nan : .infinity(isNegative: isNegative) }
        if rhs.isInfinite { return .zero(isNegative: isNegative, exponent: minExponent) }
        if rhs.isZero { return lhs.isZero ? .nan : .infinity(isNegative: isNegative) }
        let exponent = lhs.exponent - rhs.exponent
        if lhs.isZero { return .zero(isNegative: isNegative, exponent: exponent) }
        let (dividend, divisor) = (lhs.coefficient, rhs.coefficient)
        // A dividend of 38 digits, extended by one digit less than the divisor has, gives a quotient of 37 or 38 digits.
        let addedDigits = 38 - digitCount(dividend)
        let moreDigits = digitCount(divisor) - 1
        let scaled = (dividend * powersOfTen[addedDigits]).multipliedFullWidth(by: powersOfTen[moreDigits])
        let (quotient, tail) = divisor.dividingFullWidth(scaled)
        return Decimal128(
            isNegative: isNegative, coefficient: quotient, exponent: exponent - addedDigits - moreDigits,
            hasTail: tail != 0)
    }

    /// Adds a value to a variable, like ``+(_:_:)``.
    public static func += (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs + rhs
    }

    /// Subtracts a value from a variable, like ``-(_:_:)``.
    public static func -= (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs - rhs
    }

    /// Multiplies a variable by a value, like ``*(_:_:)``.
    public static func *= (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs * rhs
    }

    /// Divides a variable by a value, like ``/(_:_:)``.
    public static func /= (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs / rhs
    }

    /// Replaces the value with its negative.
    public mutating func negate() {
        self = -self
    }

    /// Returns the sum of two numbers other than zero. The second one must have the same or a smaller exponent.
    private static func sum(_ coarse: Decimal128, finer fine: Decimal128) -> Decimal128 {
        // Scale the coarse coefficient up to the other exponent, or to at most 38 digits. In the second case it is so much larger
        // that the dropped part of the fine coefficient is only a tail.
        let shift = coarse.exponent - fine.exponent
        let addedDigits = Swift.min(shift, 38 - digitCount(coarse.coefficient))
        let scaled = coarse.coefficient * powersOfTen[addedDigits]
        var rest = fine.coefficient
        var hasTail = false
        if shift > addedDigits {
            let droppedDigits = shift - addedDigits
            if droppedDigits >= powersOfTen.count {
                (rest, hasTail) = (0, true)
            } else {
                let (quotient, remainder) = rest.quotientAndRemainder(
                    dividingBy: powersOfTen[droppedDigits])
                (rest, hasTail) = (quotient, remainder != 0)
            }
        }

        let exponent = coarse.exponent - addedDigits
        if coarse.isNegative == fine.isNegative {
            return Decimal128(
                isNegative: coarse.isNegative, coefficient: scaled + rest, exponent: exponent,
                hasTail: hasTail)
        }
        if hasTail {
            // Subtracting a rest and a tail is subtracting one more than the rest, and leaving a tail.
            return Decimal128(
                isNegative: coarse.isNegative, coefficient: scaled - rest - 1, exponent: exponent,
                hasTail: true)
        }
        // A difference of zero is a positive zero.
        return Decimal128(
            isNegative: scaled == rest ? false : scaled > rest ? coarse.isNegative : fine.isNegative,
            coefficient: scaled > rest ? scaled - rest : rest - scaled, exponent: exponent)
    }
}

extension Decimal128: Strideable {
    /// The type of a distance between two values.
    public typealias Stride = Decimal128

    /// Returns the difference between another value and this one, rounded to 34 digits.
    public func distance(to other: Decimal128) -> Decimal128 {
        other - self
    }

    /// Returns the sum of this value and a distance, rounded to 34 digits.
    public func advanced(by distance: Decimal128) -> Decimal128 {
        self + distance
    }
}
