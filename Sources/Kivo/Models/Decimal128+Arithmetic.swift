extension Decimal128: SignedNumeric {
    /// The type of an absolute value.
    public typealias Magnitude = Decimal128

    /// The sum, rounded to 34 digits; NaN if an operand is NaN or the sum is too large.
    public static func + (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        if lhs.isNaN || rhs.isNaN { return .nan }
        if lhs.isZero { return rhs }
        if rhs.isZero { return lhs }
        return lhs.exponent >= rhs.exponent ? sum(lhs, finer: rhs) : sum(rhs, finer: lhs)
    }

    /// The difference, rounded to 34 digits; NaN if an operand is NaN or the difference is too large.
    public static func - (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        lhs + -rhs
    }

    /// The product, rounded to 34 digits; NaN if an operand is NaN or the product is too large.
    public static func * (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        if lhs.isNaN || rhs.isNaN { return .nan }
        if lhs.isZero || rhs.isZero { return Decimal128() }
        let (left, right) = (lhs.coefficient, rhs.coefficient)
        let product = left.multipliedFullWidth(by: right)
        // Keep 36 to 38 digits and whether anything was cut off; that is all that rounding needs.
        let droppedDigits = Swift.max(0, digitCount(left) + digitCount(right) - 38)
        let (kept, tail) = powersOfTen[droppedDigits].dividingFullWidth(product)
        return Decimal128(
            isNegative: lhs.isNegative != rhs.isNegative, coefficient: kept,
            exponent: lhs.exponent + rhs.exponent + droppedDigits, hasTail: tail != 0)
    }

    /// The quotient, rounded to 34 digits; NaN if an operand is NaN, the divisor zero, or the quotient too large.
    public static func / (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
        if lhs.isNaN || rhs.isNaN || rhs.isZero { return .nan }
        if lhs.isZero { return lhs }
        let (dividend, divisor) = (lhs.coefficient, rhs.coefficient)
        // A dividend of 38 digits, and then as many more as the divisor has (less one), leave a quotient of 37 or 38.
        let addedDigits = 38 - digitCount(dividend)
        let moreDigits = digitCount(divisor) - 1
        let scaled = (dividend * powersOfTen[addedDigits]).multipliedFullWidth(by: powersOfTen[moreDigits])
        let (quotient, tail) = divisor.dividingFullWidth(scaled)
        return Decimal128(
            isNegative: lhs.isNegative != rhs.isNegative, coefficient: quotient,
            exponent: lhs.exponent - rhs.exponent - addedDigits - moreDigits, hasTail: tail != 0)
    }

    /// Adds a value to a variable, as ``+(_:_:)`` does.
    public static func += (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs + rhs
    }

    /// Subtracts a value from a variable, as ``-(_:_:)`` does.
    public static func -= (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs - rhs
    }

    /// Multiplies a variable by a value, as ``*(_:_:)`` does.
    public static func *= (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs * rhs
    }

    /// Divides a variable by a value, as ``/(_:_:)`` does.
    public static func /= (lhs: inout Decimal128, rhs: Decimal128) {
        lhs = lhs / rhs
    }

    /// Replaces the value by the one of the opposite sign.
    public mutating func negate() {
        self = -self
    }

    /// Adds two numbers other than zero, of which the second has the same or a smaller exponent.
    private static func sum(_ coarse: Decimal128, finer fine: Decimal128) -> Decimal128 {
        // Scale the coarse coefficient up to the other's exponent, or as far as 38 digits go. In the second case it
        // is so much larger that the cut off rest of the fine one is only a tail.
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
            // Taking off a rest and a bit is taking off one more than the rest, and leaving a bit.
            return Decimal128(
                isNegative: coarse.isNegative, coefficient: scaled - rest - 1, exponent: exponent,
                hasTail: true)
        }
        return scaled >= rest
            ? Decimal128(isNegative: coarse.isNegative, coefficient: scaled - rest, exponent: exponent)
            : Decimal128(isNegative: fine.isNegative, coefficient: rest - scaled, exponent: exponent)
    }
}

extension Decimal128: Strideable {
    /// The type of a distance between two values.
    public typealias Stride = Decimal128

    /// The difference between another value and this one, rounded to 34 digits.
    public func distance(to other: Decimal128) -> Decimal128 {
        other - self
    }

    /// The sum of this value and a distance, rounded to 34 digits.
    public func advanced(by distance: Decimal128) -> Decimal128 {
        self + distance
    }
}
