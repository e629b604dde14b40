extension Int128 {
    /// The nearest 64-bit integer.
    @inline(__always)
    var clamped: Int64 {
        let low = Int64(truncatingIfNeeded: self)
        return Int128(low) == self ? low : self < 0 ? .min : .max
    }

    /// Returns the quotient of an exact sum and the number of its summands, rounded to the nearest double.
    package func average(of count: Int) -> Double {
        // A sum and a count of at most 53 bits are exact as doubles, so only the division rounds.
        // They are converted as 64 bits, because conversions of 128 bits cost much more than all else here.
        let sum = clamped
        if sum.magnitude <= 1 << 53, UInt64(count) <= 1 << 53 { return Double(sum) / Double(count) }
        let divisor = UInt128(count)
        // A quotient of at least 55 bits, whose last bit records a remainder, is rounded only once.
        let digits = UInt128.bitWidth - (magnitude / divisor).leadingZeroBitCount
        let shift = Swift.max(55 - digits, 0)
        let (quotient, rest) = (magnitude << UInt128(shift)).quotientAndRemainder(dividingBy: divisor)
        let rounded =
            Double(quotient | (rest == 0 ? 0 : 1)) * Double(sign: .plus, exponent: -shift, significand: 1)
        return self < 0 ? -rounded : rounded
    }
}
