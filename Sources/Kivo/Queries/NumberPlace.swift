import Foundation
import KivoEngine

/// The place of a number among the values of a type: a value next to it, and the side of that value on which the number is.
///
/// A number that a type cannot hold lies between two of its values, or beyond all. Comparisons with it are comparisons with the value
/// next to it, so that nothing is rounded.
struct NumberPlace {
    /// A value of the type. No other one lies between it and the number.
    let cell: Cell
    /// Negative, 0 or positive, as the number is less than, equal to or greater than the value.
    let side: Int

    /// The place of a number, given as the cell of a value of any type, among the values of a type of numbers; nil for NaN.
    init?(_ number: Cell, among type: ScalarType) {
        if CellOrder.mixed.isNaN(number) { return nil }
        let nearest: any _Scalar =
            switch type {
            case .decimal128: Self.decimal(number)
            case .double: Self.double(number)
            case .float: Float(Self.double(number))
            default: Self.integer(number)
            }
        cell = nearest._cell
        if type == .float, !Self.isWhole(number) {
            // Fractions are meant as the type has them: 0.1 is that of single precision.
            side = 0
        } else {
            side = CellOrder.mixed.compare(number, QueryValueType.scalar(type).anyCell!(cell))
        }
    }

    /// The test that values of the type pass if they compare with the number so.
    func test(_ comparison: ComparisonOperator, _ order: CellOrder) -> RowPredicate.Test {
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

    /// Fractions without their part behind the point, and the least or the greatest integer for what is beyond all.
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
            // Whole numbers of 34 digits are exact; a fraction is the decimal that is read as it.
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
    /// The number without what is behind the point; the least or the greatest integer of 128 bits for what is beyond all.
    fileprivate var wholePart: Int128 {
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
    /// A number that values of this type, which are numbers, are compared with, as the cell of a value of any type; nil if the value is
    /// no number.
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
