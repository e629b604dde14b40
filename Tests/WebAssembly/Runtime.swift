// Functions that compiled code calls and WASI's C library lacks: arithmetic on 128 bits, and the reading of a number.
//
// In WebAssembly a number of 128 bits is passed as two words, the low one first, and returned through a pointer.

/// The pointer to the two words of a result.
public typealias WideResult = UnsafeMutablePointer<UInt64>

/// Multiplies numbers of 128 bits.
@_cdecl("__multi3")
public func multiplyWide(
    _ result: WideResult, _ aLow: UInt64, _ aHigh: UInt64, _ bLow: UInt64, _ bHigh: UInt64
) {
    // The product of the low words in quarters: that of whole words would call this function.
    let (a0, a1, b0, b1) = (aLow & 0xFFFF_FFFF, aLow >> 32, bLow & 0xFFFF_FFFF, bLow >> 32)
    let low = a0 &* b0
    let first = a1 &* b0 &+ low >> 32
    let second = a0 &* b1 &+ first & 0xFFFF_FFFF
    result[0] = second << 32 | low & 0xFFFF_FFFF
    result[1] = a1 &* b1 &+ first >> 32 &+ second >> 32 &+ aLow &* bHigh &+ aHigh &* bLow
}

/// Shifts a number of 128 bits to the left.
@_cdecl("__ashlti3")
public func shiftLeft(_ result: WideResult, _ low: UInt64, _ high: UInt64, _ distance: Int32) {
    let distance = UInt64(UInt32(bitPattern: distance) & 127)
    if distance >= 64 {
        (result[0], result[1]) = (0, low << (distance - 64))
    } else {
        (result[0], result[1]) = (low << distance, high << distance | low >> (64 - distance))
    }
}

/// Shifts a number of 128 bits to the right.
@_cdecl("__lshrti3")
public func shiftRight(_ result: WideResult, _ low: UInt64, _ high: UInt64, _ distance: Int32) {
    let distance = UInt64(UInt32(bitPattern: distance) & 127)
    if distance >= 64 {
        (result[0], result[1]) = (high >> (distance - 64), 0)
    } else {
        (result[0], result[1]) = (low >> distance | high << (64 - distance), high >> distance)
    }
}

/// Divides numbers of 128 bits, bit by bit.
@_cdecl("__udivti3")
public func divideWide(
    _ result: WideResult, _ aLow: UInt64, _ aHigh: UInt64, _ bLow: UInt64, _ bHigh: UInt64
) {
    var (low, high) = (aLow, aHigh)
    var (restLow, restHigh): (UInt64, UInt64) = (0, 0)
    for _ in 0..<128 {
        let carry = restHigh >> 63
        restHigh = restHigh << 1 | restLow >> 63
        restLow = restLow << 1 | high >> 63
        high = high << 1 | low >> 63
        low <<= 1
        guard carry != 0 || restHigh > bHigh || restHigh == bHigh && restLow >= bLow else { continue }
        let (difference, borrow) = restLow.subtractingReportingOverflow(bLow)
        restLow = difference
        restHigh = restHigh &- bHigh &- (borrow ? 1 : 0)
        low |= 1
    }
    (result[0], result[1]) = (low, high)
}

@_extern(c, "strtod")
private func strtod(
    _ text: UnsafePointer<CChar>, _ end: UnsafeMutablePointer<UnsafePointer<CChar>?>
) -> Double

/// Reads a floating-point number; returns where it ends, or nil if there is none.
@_cdecl("_swift_stdlib_strtod_clocale")
public func readDouble(
    _ text: UnsafePointer<CChar>, _ result: UnsafeMutablePointer<Double>
) -> UnsafePointer<CChar>? {
    var end: UnsafePointer<CChar>?
    result.pointee = strtod(text, &end)
    return end == text ? nil : end
}
