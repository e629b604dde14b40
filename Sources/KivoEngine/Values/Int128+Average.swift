extension Int128 {
    /// The quotient of an exact sum and the number of its summands: the double that is nearest to it.
    public func average(of count: Int) -> Double {
        // Exact as doubles, so that the division alone rounds.
        if magnitude <= 1 << 53, UInt64(count) <= 1 << 53 { return Double(self) / Double(count) }
        let divisor = UInt128(count)
        // A quotient of 55 bits or more, the last of which says whether there is a rest, is rounded once.
        let digits = UInt128.bitWidth - (magnitude / divisor).leadingZeroBitCount
        let shift = Swift.max(55 - digits, 0)
        let (quotient, rest) = (magnitude << UInt128(shift)).quotientAndRemainder(dividingBy: divisor)
        let rounded =
            Double(quotient | (rest == 0 ? 0 : 1)) * Double(sign: .plus, exponent: -shift, significand: 1)
        return self < 0 ? -rounded : rounded
    }
}
