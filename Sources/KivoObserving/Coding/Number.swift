import Foundation

/// The forms of values that the elements of a collection can have.
package protocol KeyValueForms: Sendable {
    /// Returns what a value stands for: the raw value of an enum. Returns nil if that has no order.
    func plainForm(_ value: Any) -> Any?

    /// Returns an integer that does not fit into an `Int`.
    func wideNumber(_ value: Int128) -> any WideNumber

    /// Returns the average of integers with a sum.
    func average(_ sum: Int128, of count: Int) -> Double

    /// Whether these are the forms of plain classes.
    var arePlain: Bool { get }
}

extension KeyValueForms {
    package var arePlain: Bool { false }

    package func average(_ sum: Int128, of count: Int) -> Double {
        let (whole, rest) = sum.quotientAndRemainder(dividingBy: Int128(count))
        return Double(whole) + Double(rest) / Double(count)
    }
}

/// The forms of values of plain classes: integers that do not fit become `Decimal`.
struct PlainForms: KeyValueForms {
    func plainForm(_ value: Any) -> Any? {
        (value as? any RawRepresentable).map { plainForm($0.rawValue as Any) as Any } ?? value
    }

    func wideNumber(_ value: Int128) -> any WideNumber { Decimal(value) }
}

/// The forms of values of models and of plain classes, for collections with elements of both kinds.
struct MixedForms: KeyValueForms {
    let models: any KeyValueForms

    func plainForm(_ value: Any) -> Any? { models.plainForm(value).flatMap { PlainForms().plainForm($0) } }
    func wideNumber(_ value: Int128) -> any WideNumber { models.wideNumber(value) }
    func average(_ sum: Int128, of count: Int) -> Double { models.average(sum, of: count) }
}

extension Decimal {
    /// Creates a decimal number, of 38 digits.
    init(_ value: Int128) {
        let magnitude = value.magnitude
        let high = Decimal(UInt64(truncatingIfNeeded: magnitude >> 64))
        let sum = high * (Decimal(UInt64.max) + 1) + Decimal(UInt64(truncatingIfNeeded: magnitude))
        self = value < 0 ? -sum : sum
    }
}

/// A number of more digits than `Int` and `Double` have.
package protocol WideNumber: Sendable {
    static func wide(_ value: Int) -> Self
    static func wide(_ value: Double) -> Self
    var double: Double { get }
    var isNotANumber: Bool { get }
    func adding(_ other: Self) -> Self
    func divided(by count: Int) -> Self
    /// Returns whether a number precedes another; each is an `Int`, a `Double` or of this type.
    static func precedes(_ a: Any, _ b: Any) -> Bool
}

extension Decimal: WideNumber {
    package static func wide(_ value: Int) -> Decimal { Decimal(value) }
    package static func wide(_ value: Double) -> Decimal { Decimal(value) }
    package var double: Double { (self as NSDecimalNumber).doubleValue }
    package var isNotANumber: Bool { isNaN }
    package func adding(_ other: Decimal) -> Decimal { self + other }
    package func divided(by count: Int) -> Decimal { self / Decimal(count) }

    package static func precedes(_ a: Any, _ b: Any) -> Bool { of(a) < of(b) }

    private static func of(_ value: Any) -> Decimal {
        switch value {
        case let value as Decimal: value
        case let value as Int: Decimal(value)
        case let value as Double: Decimal(value)
        default: .nan
        }
    }
}

/// A number of any type, as collection operators use it. Integers are added exactly, and their sum is a wide number if it does not
/// fit into an `Int`. Other numbers are added as `Double`, or as wide numbers if one of them is.
enum Number {
    case integer(Int)
    case double(Double)
    case wide(any WideNumber)

    init?(_ value: Any, _ forms: any KeyValueForms) {
        switch hashable(forms.plainForm(value))?.base {
        case let value as Bool: self = .integer(value ? 1 : 0)
        case let value as any WideNumber: self = .wide(value)
        case let value as any BinaryInteger:
            self = Int(exactly: value).map { .integer($0) } ?? .double(Double(value))
        case let value as any BinaryFloatingPoint: self = .double(Double(value))
        case let value as NSNumber: self = .double(value.doubleValue)
        default: return nil
        }
    }

    var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .wide(let value): value.double
        }
    }

    var isNaN: Bool {
        switch self {
        case .integer: false
        case .double(let value): value.isNaN
        case .wide(let value): value.isNotANumber
        }
    }

    /// The number with its own type.
    var value: Any {
        switch self {
        case .integer(let value): value
        case .double(let value): value
        case .wide(let value): value
        }
    }

    /// Creates the sum of numbers.
    init(sum numbers: [Number], _ forms: any KeyValueForms) {
        if let sum = Number.integerSum(numbers) {
            self = Int(exactly: sum).map { .integer($0) } ?? .wide(forms.wideNumber(sum))
        } else {
            self = numbers.reduce(.integer(0)) { $0 + $1 }
        }
    }

    /// Returns the exact sum of integers; returns nil if other numbers are among them.
    static func integerSum(_ numbers: [Number]) -> Int128? {
        var sum: Int128 = 0
        for number in numbers {
            guard case .integer(let integer) = number else { return nil }
            sum += Int128(integer)
        }
        return sum
    }

    static func + (a: Number, b: Number) -> Number {
        switch (a, b) {
        case (.integer(let x), .integer(let y)):
            let (sum, isOverflow) = x.addingReportingOverflow(y)
            return isOverflow ? .double(Double(x) + Double(y)) : .integer(sum)
        case (.wide(let x), _): return .wide(sum(x, b))
        case (_, .wide(let y)): return .wide(sum(y, a))
        default: return .double(a.double + b.double)
        }
    }

    private static func sum<Wide: WideNumber>(_ wide: Wide, _ other: Number) -> any WideNumber {
        switch other {
        case .integer(let value): wide.adding(.wide(value))
        case .double(let value): wide.adding(.wide(value))
        case .wide(let value): wide.adding(value as? Wide ?? .wide(value.double))
        }
    }

    static func < (a: Number, b: Number) -> Bool {
        switch (a, b) {
        case (.integer(let x), .integer(let y)): x < y
        case (.double(let x), .double(let y)): x < y
        case (.integer(let x), .double(let y)): precedes(x, y)
        case (.double(let x), .integer(let y)):
            x.isNaN ? false : x != Double(y) ? x < Double(y) : follows(y, x)
        case (.wide(let x), .wide(let y)) where type(of: x) != type(of: y): x.double < y.double
        case (.wide(let x), _): type(of: x).precedes(x, b.value)
        case (_, .wide(let y)): type(of: y).precedes(a.value, y)
        }
    }

    /// Returns whether an integer precedes a number, which is not NaN, exactly.
    private static func precedes(_ integer: Int, _ number: Double) -> Bool {
        if number >= 0x1p63 { return true }
        if number < -0x1p63 { return false }
        let whole = number.rounded(.down)
        return integer < Int(whole) || (integer == Int(whole) && whole < number)
    }

    /// Returns whether an integer follows a number that equals it after rounding.
    private static func follows(_ integer: Int, _ number: Double) -> Bool {
        if number >= 0x1p63 { return false }
        return integer > Int(number)
    }
}
