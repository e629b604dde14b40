/// The exact sum of doubles that are added and removed in any order, which is rounded once, when it is read.
///
/// The sum is a long integer of units of 2⁻¹⁰⁷⁴, the smallest double:
///
///     digit          first          first + 1      …
///     weight   2^(32 · first)   2^(32 · first + 32)      each a signed number of 64 bits
///
/// Only the digits between the smallest and the largest value are stored. A double changes three digits by less than 2³³ each, so that
/// carries are propagated only once in 2²⁹ changes.
struct ExactSum {
    private var digits: ContiguousArray<Int64> = []
    private var first = 0
    /// The number of changes since carries were propagated.
    private var changes = 0
    private var infinities = 0
    private var negativeInfinities = 0

    /// Adds a value, or removes it if `sign` is -1. NaN is not allowed.
    mutating func add(_ value: Double, sign: Int64 = 1) {
        if value.isInfinite {
            if value > 0 { infinities += Int(sign) } else { negativeInfinities += Int(sign) }
            return
        }
        var significand = value.significandBitPattern
        if significand == 0, value == 0 { return }
        var shift = 0
        if value.exponentBitPattern != 0 {
            significand |= 1 << 52
            shift = Int(value.exponentBitPattern) - 1
        }
        let low = (significand & 0xFFFF_FFFF) << UInt64(shift & 31)
        let high = (significand >> 32) << UInt64(shift & 31)
        let index = makeRoom(shift >> 5)
        let sign = value < 0 ? -sign : sign
        digits[index] += sign * Int64(low & 0xFFFF_FFFF)
        digits[index + 1] += sign * Int64(low >> 32 + high & 0xFFFF_FFFF)
        digits[index + 2] += sign * Int64(high >> 32)
        changes += 1
        if changes == 1 << 29 { propagateCarries() }
    }

    /// Returns the index of a digit, after which there are two more.
    private mutating func makeRoom(_ digit: Int) -> Int {
        if digits.isEmpty { first = digit }
        if digit < first {
            digits.insert(contentsOf: repeatElement(0, count: first - digit), at: 0)
            first = digit
        }
        let index = digit - first
        if index + 2 >= digits.count {
            digits.append(contentsOf: repeatElement(0, count: index + 3 - digits.count))
        }
        return index
    }

    /// Makes all digits but the last ones of 32 bits, without a sign.
    private mutating func propagateCarries() {
        changes = 0
        var index = 0
        while index < digits.count {
            let carry = digits[index] >> 32
            if index == digits.count - 1 {
                if carry == 0 || carry == -1 { break }
                digits.append(0)
            }
            digits[index] &= 0xFFFF_FFFF
            digits[index + 1] += carry
            index += 1
        }
    }

    /// The sum, rounded to the nearest double, or to the one with an even last bit between two.
    var value: Double {
        if infinities > 0 { return negativeInfinities > 0 ? .nan : .infinity }
        if negativeInfinities > 0 { return -.infinity }
        var sum = self
        sum.propagateCarries()
        let isNegative = sum.digits.last ?? 0 < 0
        if isNegative {
            for index in sum.digits.indices { sum.digits[index].negate() }
            sum.propagateCarries()
        }
        let magnitude = sum.magnitude
        return isNegative ? -magnitude : magnitude
    }

    /// The sum, which is not negative and has no carries.
    private var magnitude: Double {
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        func digit(_ index: Int) -> UInt128 { index < 0 ? 0 : UInt128(digits[index]) }
        let bits = digit(top) << 64 | digit(top - 1) << 32 | digit(top - 2)
        let excess = max(0, UInt128.bitWidth - bits.leadingZeroBitCount - 64)
        var rounded = UInt64(bits >> UInt128(excess))
        // The last of 64 bits stands for everything below it, so that the conversion to 53 bits rounds like that of the sum.
        let hasRest =
            bits & ((1 << UInt128(excess)) - 1) != 0 || (top > 2 && digits[..<(top - 2)].contains { $0 != 0 })
        if hasRest { rounded |= 1 }
        return Double(
            sign: .plus, exponent: (first + top - 2) * 32 + excess - 1074, significand: Double(rounded))
    }
}
