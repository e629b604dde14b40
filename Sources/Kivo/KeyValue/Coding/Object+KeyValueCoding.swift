import Foundation
import KivoEngine
import KivoObserving

/// The default implementations of the overridable methods of key-value coding.
extension ObjectBase {
    final func kivoValue(forKey key: String) -> Any? {
        if key == "self" { return self }
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        let info = kivoInfo
        if let property = info.property(named: key) { return flatten(kivoBoxedValue(property)) }
        if let property = info.ignoredProperty(named: key) {
            return flatten(property.wrapper.value(property.address(in: self)))
        }
        if let keyPath = info.keyValue.computedProperty(key) { return flatten(self[keyPath: keyPath]) }
        return value(forUndefinedKey: key)
    }

    final func kivoSetValue(_ value: Any?, forKey key: String) {
        let info = kivoInfo
        let value = nonNull(value)
        if let property = info.property(named: key) {
            let type = property.type
            let takesNil =
                type.isOptional || type.scalar == .any || property.isLink || type.collection != .none
            if value == nil, !takesNil { return setNilValueForKey(key) }
            kivoSetValue(property, value)
        } else if let property = info.ignoredProperty(named: key) {
            kivoSetIgnored(property, value)
        } else if let keyPath = info.keyValue.computedProperty(key) {
            KeyValueCoding.setComputed(keyPath, value, key, of: self, info.keyValue)
        } else {
            setValue(value, forUndefinedKey: key)
        }
    }

    private final func kivoSetIgnored(_ property: IgnoredPropertyInfo, _ value: Any?) {
        let address = property.address(in: self)
        guard property.wrapper.takes(value) else {
            if value == nil { return setNilValueForKey(property.name) }
            trap("\(RefusedValue(value)) is no value of property '\(kivoInfo.name).\(property.name)'.")
        }
        let assign = { _ = property.wrapper.setValue(address, value) }
        if let observations = kivoObservations {
            observations.changing(property.column, .wholesale, assign)
        } else {
            assign()
        }
    }
}

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
