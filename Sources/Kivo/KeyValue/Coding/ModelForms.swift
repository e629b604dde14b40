import KivoEngine
import KivoObserving

/// The forms of values of models, for collection operators: enums and mapped types stand for what is stored, and integers that do
/// not fit become ``Decimal128``.
struct ModelForms: KeyValueForms {
    func plainForm(_ value: Any) -> Any? {
        switch value {
        case let value as any PersistableEnum: plainForm(value.rawValue)
        case let value as any _CustomPersistable: value.persistedScalar.flatMap { plainForm($0) }
        default: value
        }
    }

    func wideNumber(_ value: Int128) -> any WideNumber { Decimal128(value) }
    func average(_ sum: Int128, of count: Int) -> Double { sum.average(of: count) }
}

extension Decimal128: WideNumber {
    package static func wide(_ value: Int) -> Decimal128 { Decimal128(integerLiteral: Int64(value)) }
    package static func wide(_ value: Double) -> Decimal128 { Decimal128(floatLiteral: value) }
    package var double: Double { doubleValue }
    package var isNotANumber: Bool { isNaN }
    package func adding(_ other: Decimal128) -> Decimal128 { self + other }
    package func divided(by count: Int) -> Decimal128 { self / Decimal128(integerLiteral: Int64(count)) }

    package static func precedes(_ a: Any, _ b: Any) -> Bool { CellOrder.mixed.compare(cell(a), cell(b)) < 0 }

    /// Returns a number as the cell of a mixed value, by which numbers of different types are compared.
    private static func cell(_ value: Any) -> Cell {
        switch value {
        case let value as Int: .typedWord(value.word, .int)
        case let value as Double: .typedWord(value.word, .double)
        case let value as Decimal128: .typedWide(value.bits.0, value.bits.1, .decimal128)
        default: .null
        }
    }
}
