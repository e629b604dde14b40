import Foundation
import KivoEngine

/// The value of a number type that is nearest to a number, and the side of it on which the number lies.
///
/// A number that a type cannot hold lies between two of its values, or beyond all of them. Comparisons with the number become
/// comparisons with the adjacent value, so that nothing is rounded.
struct NearestNumber {
    /// A value of the type. No other value lies between it and the number.
    let cell: Cell
    /// Negative, 0 or positive, if the number is less than, equal to or greater than the value.
    let side: Int

    /// Finds the value of a number type that is nearest to a number; fails for NaN. The number is given as the cell of a
    /// value of any type.
    init?(_ number: Cell, among type: ScalarType) {
        if CellOrder.mixed.isNaN(number) { return nil }
        let nearest: any Scalar =
            switch type {
            case .decimal128: Self.decimal(number)
            case .double: Self.double(number)
            case .float: Float(Self.double(number))
            default: Self.integer(number)
            }
        cell = nearest.cell
        if type == .float, !Self.isWhole(number) {
            // A fraction means the nearest value of the type: 0.1 means the single-precision 0.1.
            side = 0
        } else {
            side = CellOrder.mixed.compare(number, QueryValueType.scalar(type).anyCell!(cell))
        }
    }

    /// Returns the test that compares values of the type with the number.
    func test(_ comparison: ComparisonOperator, _ order: CellOrder) -> ValueTest {
        switch comparison {
        case _ where side == 0: .compare(comparison, cell, order)
        case .equal: .always(false)
        case .notEqual: .always(true)
        case .less, .lessOrEqual: .compare(side > 0 ? .lessOrEqual : .less, cell, order)
        case .greater, .greaterOrEqual: .compare(side > 0 ? .greater : .greaterOrEqual, cell, order)
        }
    }

    private static func double(_ number: Cell) -> Double {
        switch number {
        case .typedWord(let word, .int): Double(Int64(bitPattern: word))
        case .typedWord(let word, _): Double(bitPattern: word)
        case .typedWide(let high, let low, _): Decimal128(bits: (high, low)).doubleValue
        default: preconditionFailure("\(number) is no number")
        }
    }

    /// Returns a number without its fraction. Returns the smallest or the largest integer for numbers beyond all integers.
    private static func integer(_ number: Cell) -> Int64 {
        switch number {
        case .typedWord(let word, .int): return Int64(bitPattern: word)
        case .typedWord(let word, _):
            let double = Double(bitPattern: word)
            return double >= 0x1p63 ? .max : double < -0x1p63 ? .min : Int64(double)
        case .typedWide(let high, let low, _):
            return Int64(clamping: Decimal128(bits: (high, low)).wholePart)
        default: preconditionFailure("\(number) is no number")
        }
    }

    private static func decimal(_ number: Cell) -> Decimal128 {
        switch number {
        case .typedWord(let word, .int): return Decimal128(Int64(bitPattern: word))
        case .typedWord(let word, _):
            let double = Double(bitPattern: word)
            // Whole numbers of 34 digits are exact. A fraction becomes the decimal of its shortest text: 0.1 becomes one tenth.
            return isWhole(number) && double.magnitude < 1e34
                ? Decimal128(Int128(double)) : Decimal128(double)
        case .typedWide(let high, let low, _): return Decimal128(bits: (high, low))
        default: preconditionFailure("\(number) is no number")
        }
    }

    private static func isWhole(_ number: Cell) -> Bool {
        switch number {
        case .typedWord(_, .int): return true
        case .typedWord(let word, _):
            let double = Double(bitPattern: word)
            return double.rounded(.towardZero) == double
        case .typedWide(let high, let low, _):
            let decimal = Decimal128(bits: (high, low))
            return decimal.isFinite && decimal.exponent >= 0
        default: return false
        }
    }
}

extension Decimal128 {
    /// The number without its fraction; the smallest or the largest 128-bit integer for numbers beyond all of these.
    var wholePart: Int128 {
        var digits = isFinite ? coefficient : 1
        for _ in 0..<Swift.min(isFinite ? Swift.max(-exponent, 0) : 0, 40) { digits /= 10 }
        for _ in 0..<Swift.min(isFinite ? Swift.max(exponent, 0) : 40, 40) where digits != 0 {
            let (product, isOverflow) = digits.multipliedReportingOverflow(by: 10)
            digits = isOverflow ? .max : product
        }
        let magnitude = Int128(clamping: digits)
        return isNegative ? -magnitude : magnitude
    }
}

extension ScalarType {
    /// Returns the number with which values of this type are compared, as the cell of a value of any type. Returns nil if the
    /// value is not a number, or if this type has no numbers.
    func number(_ value: Any) -> Cell? {
        guard isNumber else { return nil }
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            if number is NSDecimalNumber {
                return AnyRealmValue.decimal128(Decimal128(number: number)).plainCell
            }
            let isFraction = [UInt8(ascii: "d"), UInt8(ascii: "f")].contains(
                UInt8(bitPattern: number.objCType.pointee))
            if isFraction { return .typedWord(number.doubleValue.bitPattern, .double) }
            return AnyRealmValue.decimal128(Decimal128(number: number)).plainCell
        }
        switch value {
        case let decimal as Decimal128: return AnyRealmValue.decimal128(decimal).plainCell
        case let integer as any BinaryInteger:
            return Int64(exactly: integer).map { .typedWord(UInt64(bitPattern: $0), .int) }
                ?? AnyRealmValue.decimal128(Decimal128(integer)).plainCell
        default: return floatingPoint(value).map { .typedWord($0.bitPattern, .double) }
        }
    }
}
