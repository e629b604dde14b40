/// A number of any type, as a coefficient and a power of ten, so that numbers of different types can be compared exactly.
///
/// A double that is not an integer is represented by the shortest decimal that parses to it: 0.1 is one tenth. This preserves the
/// order of doubles, so that all numbers have a single order.
struct AnyNumber {
    /// 34 nines.
    private static let maxCoefficient = UInt128("9999999999999999999999999999999999")!

    private enum Kind { case nan, finite, infinite }

    private let kind: Kind
    private let isNegative: Bool
    /// The digits without trailing zeros.
    private let coefficient: UInt128
    private let exponent: Int

    /// Creates the number in a cell. Returns nil if the cell is not a number.
    init?(_ cell: Cell) {
        switch cell {
        case .typedWord(let word, .int):
            let value = Int64(bitPattern: word)
            self.init(.finite, isNegative: value < 0, UInt128(value.magnitude), 0)
        case .typedWord(let word, .float), .typedWord(let word, .double):
            self.init(Double(bitPattern: word))
        case .typedWide(let high, let low, .decimal128): self.init(decimal: high, low)
        default: return nil
        }
    }

    private init(_ kind: Kind, isNegative: Bool, _ coefficient: UInt128 = 0, _ exponent: Int = 0) {
        self.kind = kind
        var (coefficient, exponent) = (coefficient, coefficient == 0 ? 0 : exponent)
        while coefficient != 0, coefficient % 10 == 0 {
            (coefficient, exponent) = (coefficient / 10, exponent + 1)
        }
        self.isNegative = isNegative && (coefficient != 0 || kind == .infinite)
        self.coefficient = coefficient
        self.exponent = exponent
    }

    private init(_ value: Double) {
        let isNegative = value.sign == .minus
        if value.isNaN {
            self.init(.nan, isNegative: false)
        } else if value.isInfinite {
            self.init(.infinite, isNegative: isNegative)
        } else if value.magnitude < 1e34, value.rounded(.towardZero) == value {
            self.init(.finite, isNegative: isNegative, UInt128(value.magnitude))
        } else {
            var (digits, exponent, isFraction) = (UInt128(0), 0, false)
            var text = value.magnitude.description.utf8[...]
            if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
                exponent = Int(Substring(text[text.index(after: mark)...]))!
                text = text[..<mark]
            }
            for byte in text {
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else {
                    digits = digits * 10 + UInt128(byte - UInt8(ascii: "0"))
                    if isFraction { exponent -= 1 }
                }
            }
            self.init(.finite, isNegative: isNegative, digits, exponent)
        }
    }

    /// Decodes IEEE 754 with a binary integer coefficient. As in the standard, a coefficient with too many digits counts as zero.
    private init(decimal high: UInt64, _ low: UInt64) {
        let isNegative = high >> 63 != 0
        if high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 {
            self.init(.nan, isNegative: false)
        } else if high & 0x7800_0000_0000_0000 == 0x7800_0000_0000_0000 {
            self.init(.infinite, isNegative: isNegative)
        } else {
            let coefficient = UInt128(high & (1 << 49 - 1)) << 64 | UInt128(low)
            let isTooLarge =
                high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000
                || coefficient > AnyNumber.maxCoefficient
            let exponent = Int((high << 1) >> 50) - 6176
            self.init(.finite, isNegative: isNegative, isTooLarge ? 0 : coefficient, exponent)
        }
    }

    /// A hash that is equal for equal numbers.
    var hash: UInt64 {
        let low = UInt64(truncatingIfNeeded: coefficient)
        let high = UInt64(truncatingIfNeeded: coefficient >> 64)
        let rest: UInt64 = kind == .finite ? 0 : kind == .nan ? 1 << 62 : 1 << 61
        let sign: UInt64 = isNegative ? 1 << 63 : 0
        return Cell.mix(Cell.mix(low) ^ high ^ Cell.mix(UInt64(bitPattern: Int64(exponent)) ^ rest ^ sign))
    }

    private static func digits(_ value: UInt128) -> Int {
        var (count, rest) = (0, value)
        while rest != 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }

    /// Returns a negative number, 0 or a positive number, by the absolute values of two finite numbers.
    private func compareMagnitude(_ other: AnyNumber) -> Int {
        if coefficient == 0 || other.coefficient == 0 {
            return coefficient == other.coefficient ? 0 : coefficient == 0 ? -1 : 1
        }
        let (a, b) = (AnyNumber.digits(coefficient), AnyNumber.digits(other.coefficient))
        if a + exponent != b + other.exponent { return a + exponent < b + other.exponent ? -1 : 1 }
        // Aligned, both have the same length. There is room for that: both have at most 38 digits.
        var (x, y) = (coefficient, other.coefficient)
        for _ in 0..<max(exponent - other.exponent, 0) { x *= 10 }
        for _ in 0..<max(other.exponent - exponent, 0) { y *= 10 }
        return x < y ? -1 : x == y ? 0 : 1
    }

    private func compare(_ other: AnyNumber) -> Int {
        if kind == .nan || other.kind == .nan { return kind == other.kind ? 0 : kind == .nan ? -1 : 1 }
        if isNegative != other.isNegative { return isNegative ? -1 : 1 }
        let result =
            if kind == .infinite || other.kind == .infinite {
                kind == other.kind ? 0 : kind == .infinite ? 1 : -1
            } else {
                compareMagnitude(other)
            }
        return isNegative ? -result : result
    }
}

extension AnyNumber {
    /// Returns a negative number, 0 or a positive number if `a` is less than, equal to or greater than `b`. NaN equals itself and
    /// is less than all numbers.
    static func compare(_ a: Cell, _ b: Cell) -> Int {
        switch (a, b) {
        case (.typedWord(let x, .int), .typedWord(let y, .int)):
            let (x, y) = (Int64(bitPattern: x), Int64(bitPattern: y))
            return x < y ? -1 : x == y ? 0 : 1
        case (.typedWord(let x, .int), .typedWord(let y, _)):
            return compare(Int64(bitPattern: x), Double(bitPattern: y))
        case (.typedWord(let x, _), .typedWord(let y, .int)):
            return -compare(Int64(bitPattern: y), Double(bitPattern: x))
        case (.typedWord(let x, _), .typedWord(let y, _)):
            let (x, y) = (Double(bitPattern: x), Double(bitPattern: y))
            if x.isNaN || y.isNaN { return x.isNaN == y.isNaN ? 0 : x.isNaN ? -1 : 1 }
            return x < y ? -1 : x == y ? 0 : 1
        default:
            guard let x = AnyNumber(a), let y = AnyNumber(b) else {
                fatalError("\(a) and \(b) have no order")
            }
            return x.compare(y)
        }
    }

    /// Returns a negative number, 0 or a positive number if an integer is less than, equal to or greater than a double, without
    /// rounding.
    private static func compare(_ x: Int64, _ y: Double) -> Int {
        if y.isNaN { return 1 }
        if y >= 0x1p63 { return -1 }
        if y < -0x1p63 { return 1 }
        let whole = Int64(y)
        if x != whole { return x < whole ? -1 : 1 }
        let fraction = y - Double(whole)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }

    static func isNaN(_ cell: Cell) -> Bool {
        switch cell {
        case .typedWord(let word, .float), .typedWord(let word, .double): Double(bitPattern: word).isNaN
        case .typedWide(let high, _, .decimal128):
            high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000
        default: false
        }
    }

    /// Returns the nearest double, as an integer that is ordered like doubles, with NaN first.
    static func rank(_ cell: Cell) -> Int64 {
        let value: Double
        switch cell {
        case .typedWord(let word, .int): value = Double(Int64(bitPattern: word))
        case .typedWord(let word, _): value = Double(bitPattern: word)
        default:
            let number = AnyNumber(cell)!
            switch number.kind {
            case .nan: value = .nan
            case .infinite: value = number.isNegative ? -.infinity : .infinity
            case .finite:
                value = Double("\(number.isNegative ? "-" : "")\(number.coefficient)e\(number.exponent)")!
            }
        }
        return value.isNaN ? Int64.min : CellOrder.rank(value.bitPattern)
    }
}
