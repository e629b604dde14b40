/// A decimal floating point number of up to 34 significant digits: IEEE 754-2008 decimal128.
///
/// A value is an integer coefficient below 10³⁴ times a power of ten between 10⁻⁶¹⁷⁶ and 10⁶¹¹¹, an infinity, or NaN. Sums,
/// differences, products and quotients are computed exactly and then rounded once, half to even, to 34 digits. Overflow and
/// division by zero return an infinity.
///
/// A value is a number only, not the form in which it was written: `1.50`, `1.5` and `15E-1` are one value. It is printed without
/// superfluous zeros, `1.5`, before it is stored and afterwards.
///
/// Unlike the standard, there are no signalling NaNs, NaN payloads and flags. NaN is equal to itself and sorts before all
/// numbers, so that values can be keys and be sorted.
///
/// A `Decimal128` is a plain 16-byte value: it may be used from any thread.
public struct Decimal128: Sendable {
    // The IEEE 754 encoding with a binary integer coefficient: one sign bit, 14 bits of biased exponent, 113 bits of coefficient.
    // Infinities and the one NaN are the patterns below.
    private let high: UInt64
    private let low: UInt64

    /// Creates zero.
    public init() { self.init(isNegative: false, packed: 0, exponent: 0) }

    /// Packs a coefficient and an exponent, which must be in range.
    init(isNegative: Bool, packed coefficient: UInt128, exponent: Int) {
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
    private static let infinityPattern: UInt64 = 0x7800_0000_0000_0000
    private static let specialPattern: UInt64 = 0x6000_0000_0000_0000
    private static let upperCoefficientBits: UInt64 = 49
    private static let exponentBias = 6176
}

extension Decimal128 {
    /// The value that is not a number: the result of an undefined operation.
    public static let nan = Decimal128(high: nanPattern, low: 0)

    /// The value that is greater than all numbers.
    public static let infinity = Decimal128(high: infinityPattern, low: 0)

    /// The greatest number: 34 nines followed by 6111 zeros.
    public static let max = Decimal128(isNegative: false, packed: maxCoefficient, exponent: maxExponent)

    /// The least number, which is the negative of ``max``.
    public static let min = Decimal128(isNegative: true, packed: maxCoefficient, exponent: maxExponent)

    /// A Boolean value that indicates whether this is ``nan``.
    public var isNaN: Bool { high == Self.nanPattern }

    /// A Boolean value that indicates whether this is ``nan``. There is only one NaN, which counts as signalling, as in the
    /// established API.
    public var isSignaling: Bool { isNaN }

    /// A Boolean value that equals ``isSignaling``.
    public var isSignalingNaN: Bool { isNaN }

    /// A Boolean value that indicates whether this is ``infinity`` or its negative.
    public var isInfinite: Bool { high & ~Self.signBit == Self.infinityPattern }

    /// A Boolean value that indicates whether this is a number, neither an infinity nor NaN.
    public var isFinite: Bool { high & Self.infinityPattern != Self.infinityPattern }

    /// The absolute value; NaN for NaN.
    public var magnitude: Decimal128 { Decimal128(high: high & ~Self.signBit, low: low) }

    /// Returns the value with the opposite sign; NaN for NaN.
    public static prefix func - (operand: Decimal128) -> Decimal128 {
        operand.isNaN ? operand : Decimal128(high: operand.high ^ signBit, low: operand.low)
    }

    /// Whether the value has a minus sign. Zero can have one, too.
    var isNegative: Bool { high & Self.signBit != 0 }

    var isZero: Bool { isFinite && coefficient == 0 }

    /// The digits, as an integer. Meaningless for infinities and NaN.
    var coefficient: UInt128 {
        let upper = high & (1 << Self.upperCoefficientBits - 1)
        return UInt128(upper) << 64 | UInt128(low)
    }

    /// The power of ten that the coefficient is multiplied with. Meaningless for infinities and NaN.
    var exponent: Int { Int((high & ~Self.signBit) >> Self.upperCoefficientBits) - Self.exponentBias }

    /// Returns an infinity with a sign.
    static func infinity(isNegative: Bool) -> Decimal128 { isNegative ? -infinity : infinity }

    /// Returns zero with a sign and the valid exponent that is nearest to a given one.
    static func zero(isNegative: Bool, exponent: Int) -> Decimal128 {
        let exponent = Swift.min(Swift.max(exponent, minExponent), maxExponent)
        return Decimal128(isNegative: isNegative, packed: 0, exponent: exponent)
    }
}

extension Decimal128 {
    /// The number as two words, most significant first. They are the IEEE 754 decimal128 encoding with a binary integer
    /// coefficient that has no trailing zeros. Equal values have equal words, and zero is all zero bits.
    package var bits: (UInt64, UInt64) {
        guard isFinite else { return (high, low) }
        if isZero { return (0, 0) }
        let reduced = reduced(upTo: Self.maxExponent)
        return (reduced.high, reduced.low)
    }

    /// Restores a number from its ``bits``, with the exponent nearest to zero. Every pattern is accepted: patterns that the
    /// standard reads as zero become zero, and every NaN becomes ``nan``.
    package init(bits: (UInt64, UInt64)) {
        let packed = Decimal128(high: bits.0, low: bits.1)
        if !packed.isFinite {
            let isInfinite = bits.0 & Self.nanPattern == Self.infinityPattern
            self = isInfinite ? .infinity(isNegative: packed.isNegative) : .nan
        } else if bits.0 & Self.specialPattern == Self.specialPattern || packed.isZero
            || packed.coefficient > Self.maxCoefficient
        {
            self.init()
        } else {
            self = packed.withExponentNearestToZero
        }
    }
}

extension Decimal128: Hashable {
    /// Returns whether two values are the same number or infinity, or are both NaN.
    public static func == (lhs: Decimal128, rhs: Decimal128) -> Bool {
        if lhs.high == rhs.high, lhs.low == rhs.low { return true }
        guard lhs.isFinite, rhs.isFinite else { return false }
        return lhs.bits == rhs.bits
    }

    /// Hashes the number. Equal values have equal hashes, whatever their exponents.
    public func hash(into hasher: inout Hasher) {
        let bits = bits
        hasher.combine(bits.0)
        hasher.combine(bits.1)
    }
}

extension Decimal128: Comparable {
    /// Returns whether the first value is the smaller one. NaN is less than all other values, and not less than itself.
    public static func < (lhs: Decimal128, rhs: Decimal128) -> Bool {
        if lhs.isNaN || rhs.isNaN { return !rhs.isNaN }
        if lhs.isZero, rhs.isZero { return false }
        if lhs.isNegative != rhs.isNegative {
            return lhs.isZero ? !rhs.isNegative : lhs.isNegative
        }
        return lhs.isNegative ? isMagnitude(of: rhs, lessThan: lhs) : isMagnitude(of: lhs, lessThan: rhs)
    }

    private static func isMagnitude(of lhs: Decimal128, lessThan rhs: Decimal128) -> Bool {
        if lhs.isInfinite || rhs.isInfinite { return !lhs.isInfinite }
        if lhs.isZero || rhs.isZero { return !rhs.isZero }
        let (left, right) = (lhs.coefficient, rhs.coefficient)
        let shift = lhs.exponent - rhs.exponent
        if shift == 0 { return left < right }
        let lengthDifference = digitCount(left) + shift - digitCount(right)
        if lengthDifference != 0 { return lengthDifference < 0 }
        // The aligned coefficients have the same length, which is at most 34 digits.
        return shift > 0
            ? left * powersOfTen[shift] < right
            : left < right * powersOfTen[-shift]
    }
}
