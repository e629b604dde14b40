/// A decimal floating point number of up to 34 significant digits.
///
/// Sums, differences, products and quotients are computed exactly and then rounded once, half to even, to 34 digits.
/// A value is an integer coefficient below 10³⁴ times a power of ten between 10⁻¹²⁷ and 10¹²⁷: the digits of IEEE 754
/// decimal128 with the exponents of Foundation's `Decimal`, so that ``decimalValue`` loses nothing. Compared with
/// IEEE 754 decimal128 it does not hold
///
/// * numbers from about 10¹⁶¹ upwards: a result that large is NaN, text that says so is refused;
/// * steps below 10⁻¹²⁷: such a result is rounded to a multiple of 10⁻¹²⁷, mostly to zero;
/// * infinities: a division by zero is NaN;
/// * negative zero, signalling NaNs and NaN payloads: there is one zero and one NaN;
/// * trailing zeros: `1.0` and `1.00` are one value, with one hash and one description, `1`.
///
/// So that values can be keys and be sorted, NaN is equal to itself and sorts before all numbers.
///
/// A `Decimal128` is a plain 16-byte value: it may be used from any thread, and copies and tests for equality cost no
/// more than those of two integers.
public struct Decimal128: Sendable {
    // The IEEE 754 encoding with a binary integer coefficient: one sign bit, 14 bits of biased exponent, 113 bits of
    // coefficient. Always canonical (no trailing zeros in the coefficient unless the exponent is the greatest one;
    // zero is all zero bits; one NaN), so that equal values have equal words.
    private let high: UInt64
    private let low: UInt64

    /// Creates zero.
    public init() {
        high = 0
        low = 0
    }

    /// Packs a value that ``init(isNegative:coefficient:exponent:hasTail:)`` has made canonical.
    init(canonicalIsNegative isNegative: Bool, coefficient: UInt128, exponent: Int) {
        let biasedExponent = UInt64(exponent + Self.exponentBias)
        let upperCoefficient = UInt64(truncatingIfNeeded: coefficient >> 64)
        high =
            (isNegative ? Self.signBit : 0) | biasedExponent << Self.upperCoefficientBits | upperCoefficient
        low = UInt64(truncatingIfNeeded: coefficient)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    private static let signBit: UInt64 = 1 << 63
    private static let nanPattern: UInt64 = 0x7C00_0000_0000_0000
    private static let specialPattern: UInt64 = 0x6000_0000_0000_0000
    private static let upperCoefficientBits: UInt64 = 49
    private static let exponentBias = 6176
}

extension Decimal128 {
    /// The value that is not a number: the result of an operation that has no result, or none that fits.
    public static let nan = Decimal128(high: nanPattern, low: 0)

    /// The greatest number: 34 nines followed by 127 zeros.
    public static let max = Decimal128(
        canonicalIsNegative: false, coefficient: maxCoefficient, exponent: maxExponent)

    /// The least number, which is the negative of ``max``.
    public static let min = Decimal128(
        canonicalIsNegative: true, coefficient: maxCoefficient, exponent: maxExponent)

    /// Whether this is ``nan``.
    public var isNaN: Bool {
        high == Self.nanPattern
    }

    /// The absolute value; NaN for NaN.
    public var magnitude: Decimal128 {
        Decimal128(high: high & ~Self.signBit, low: low)
    }

    /// The number with the opposite sign; zero for zero and NaN for NaN.
    public static prefix func - (operand: Decimal128) -> Decimal128 {
        operand.isZero || operand.isNaN
            ? operand : Decimal128(high: operand.high ^ signBit, low: operand.low)
    }

    /// Whether the value is less than zero.
    var isNegative: Bool {
        high & Self.signBit != 0
    }

    var isZero: Bool {
        high | low == 0
    }

    /// The digits, as an integer. Meaningless for NaN.
    var coefficient: UInt128 {
        let upper = high & (1 << Self.upperCoefficientBits - 1)
        return UInt128(upper) << 64 | UInt128(low)
    }

    /// The power of ten that the coefficient is multiplied with. Meaningless for zero and NaN.
    var exponent: Int {
        Int((high & ~Self.signBit) >> Self.upperCoefficientBits) - Self.exponentBias
    }
}

extension Decimal128 {
    /// The value as two words, most significant first: its IEEE 754 decimal128 encoding with a binary integer
    /// coefficient. Equal values have equal words, and zero is all zero bits.
    package var bits: (UInt64, UInt64) {
        (high, low)
    }

    /// Restores a value from its ``bits``.
    ///
    /// Every pattern is accepted: another encoding of a value becomes the one used here, and what this type does not
    /// hold is treated as everywhere else (infinities and numbers that are too large become NaN).
    package init(bits: (UInt64, UInt64)) {
        let packed = Decimal128(high: bits.0, low: bits.1)
        if packed.isZero {
            self = packed
        } else if bits.0 & Self.specialPattern == Self.specialPattern {
            // An infinity or a NaN, or a coefficient of 10³⁴ and more, which the standard reads as zero.
            let isNumber = bits.0 & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000
            self = isNumber ? Decimal128() : .nan
        } else {
            let coefficient = packed.coefficient
            self.init(
                isNegative: packed.isNegative,
                coefficient: coefficient <= Self.maxCoefficient ? coefficient : 0,
                exponent: packed.exponent)
        }
    }
}

extension Decimal128: Hashable {
    /// Whether two values are the same number, or are both NaN.
    public static func == (lhs: Decimal128, rhs: Decimal128) -> Bool {
        lhs.high == rhs.high && lhs.low == rhs.low
    }

    /// Feeds the value to a hasher. Equal values hash alike, however they were written.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}

extension Decimal128: Comparable {
    /// Whether the first value is the smaller number. NaN is less than every number, and not less than itself.
    public static func < (lhs: Decimal128, rhs: Decimal128) -> Bool {
        if lhs.isNaN || rhs.isNaN { return !rhs.isNaN }
        if lhs.isNegative != rhs.isNegative { return lhs.isNegative }
        return lhs.isNegative ? isMagnitude(of: rhs, lessThan: lhs) : isMagnitude(of: lhs, lessThan: rhs)
    }

    private static func isMagnitude(of lhs: Decimal128, lessThan rhs: Decimal128) -> Bool {
        if lhs.isZero || rhs.isZero { return !rhs.isZero }
        let (left, right) = (lhs.coefficient, rhs.coefficient)
        let shift = lhs.exponent - rhs.exponent
        if shift == 0 { return left < right }
        let lengthDifference = digitCount(left) + shift - digitCount(right)
        if lengthDifference != 0 { return lengthDifference < 0 }
        // Of the same length once they are aligned, so the aligned coefficients still have at most 34 digits.
        return shift > 0
            ? left * powersOfTen[shift] < right
            : left < right * powersOfTen[-shift]
    }
}
