extension Int128 {
    /// Returns the quotient of an exact sum and the number of its summands, rounded to the nearest double.
    package func average(of count: Int) -> Double {
        // A sum and a count of at most 53 bits are exact as doubles, so only the division rounds.
        if magnitude <= 1 << 53, UInt64(count) <= 1 << 53 { return Double(self) / Double(count) }
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
