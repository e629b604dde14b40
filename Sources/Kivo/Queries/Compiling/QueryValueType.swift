import Foundation
import KivoEngine

/// The type of the values of a path or an aggregate. Converts the app's values to cells that are compared with them.
enum QueryValueType {
    case scalar(ScalarType)
    case object(TableContext)
    /// Objects that may be unmanaged, compared by numbers that are assigned to them.
    case instance(ObjectBase.Type, ObjectIdentities)

    var isString: Bool { if case .scalar(.string) = self { true } else { false } }

    /// Whether the values can be strings or data, which have beginnings and ends.
    var isText: Bool {
        switch self {
        case .scalar(.string), .scalar(.data), .scalar(.any): true
        default: false
        }
    }

    /// Whether values of both types can be compared as text: strings with strings, data with data.
    func isText(like other: QueryValueType) -> Bool {
        isText && other.isText && (isAny || other.isAny || isString == other.isString)
    }

    /// Whether the values are of any type.
    var isAny: Bool { if case .scalar(.any) = self { true } else { false } }

    /// Returns the stored form of an app's value. For values of any type, returns the value inside, or nil if there is none.
    func plain(_ value: Any?) -> Any? {
        guard let value = flatten(value).map(persisted) else { return nil }
        if let any = value as? AnyRealmValue { return AnyRealmValue.toAny(any) }
        return (value as? any RawRepresentable)?.rawValue ?? value
    }

    /// Returns a value without optionals around it. For types other than any, returns the content of a value of any type.
    private func content(_ value: Any?) -> Any? {
        guard let value = flatten(value) else { return nil }
        if !isAny, let any = value as? AnyRealmValue { return AnyRealmValue.toAny(any) }
        return value
    }

    /// The type, as messages name it.
    var text: String {
        switch self {
        case .scalar(let scalar): scalar.name
        case .object(let context): "objects of class '\(context.info.name)'"
        case .instance(let type, _): "objects of class '\(type.className())'"
        }
    }

    var order: CellOrder {
        if case .scalar(let scalar) = self { scalar.order } else { .natural }
    }

    /// Returns the relation between values of this type and of another type; returns nil if they cannot be compared.
    func relation(_ comparison: ComparisonOperator, _ other: QueryValueType) -> ValueRelation? {
        if isAny != other.isAny {
            guard let left = anyCell, let right = other.anyCell else { return nil }
            return .mixed(comparison, left, right)
        }
        switch (self, other) {
        case (.object(let a), .object(let b)): return a === b ? .compare(comparison, .natural) : nil
        case (.instance(let a, _), .instance(let b, _)): return a == b ? .compare(comparison, .natural) : nil
        case (.scalar(let a), .scalar(let b)):
            if a == b || (a.isInteger && b.isInteger) || (a.isFraction && b.isFraction) {
                return .compare(comparison, a.order)
            }
            guard a.isNumber, b.isNumber, let left = anyCell, let right = other.anyCell else { return nil }
            return .mixed(comparison, left, right)
        default: return nil
        }
    }

    /// Returns the cell that represents exactly an app's value; returns nil if no value of this type equals it. Throws if the
    /// value cannot be compared with this type at all.
    func cell(of value: Any?) throws(QueryMismatch) -> Cell? {
        guard let value = content(value), !(value is NSNull) else {
            if case .scalar = self { return .null }
            return .link(0)
        }
        switch self {
        case .object(let context):
            guard let object = value as? ObjectBase else {
                throw QueryMismatch("\(RefusedValue(value)) cannot be compared with \(text).")
            }
            // Links lead only to objects of the same realm.
            guard object.isManaged, object.kivoInstance?.store === context.instance.store,
                object.kivoContext.table == context.table, object.locate()
            else { return nil }
            return .link(object.kivoRow.key)
        case .instance(_, let identities):
            guard let object = value as? ObjectBase else {
                throw QueryMismatch("\(RefusedValue(value)) cannot be compared with \(text).")
            }
            return identities.cell(object)
        case .scalar(.any): return try AnyRealmValue.comparedCell(value, text)
        case .scalar(let scalar):
            let raw = scalar.comparable(value)
            if let number = scalar.number(raw) {
                return NearestNumber(number, among: scalar).flatMap { $0.side == 0 ? $0.cell : nil }
            }
            if let cell = scalar.cell(of: raw) { return cell }
            throw QueryMismatch("\(RefusedValue(value)) cannot be compared with \(text).")
        }
    }

    /// Returns the cell of a value that an unmanaged object holds.
    func cell(ofHeld value: Any?) -> Cell {
        guard case .scalar(let scalar) = self, scalar.isNumber, let value = flatten(value), !(value is NSNull)
        else {
            return QueryMismatch.trapping { () throws(QueryMismatch) in try cell(of: value) } ?? .null
        }
        return scalar.cell(of: scalar.comparable(value)) ?? .null
    }

    /// Returns the test that compares values of this type with a value.
    func test(_ comparison: ComparisonOperator, _ value: Any?) throws(QueryMismatch) -> ValueTest {
        if let cell = try cell(of: value) { return .compare(comparison, cell, order) }
        guard case .scalar(let scalar) = self, let number = scalar.number(scalar.comparable(content(value)!)),
            let nearest = NearestNumber(number, among: scalar)
        else { return .always(comparison == .notEqual) }
        return nearest.test(comparison, order)
    }
}

/// Numbers by which objects are compared. Accessors of the same row have the same number. Retains the objects, so that none takes
/// the address of another.
final class ObjectIdentities {
    private var objects: [SubjectIdentity: (number: Int64, object: ObjectBase)] = [:]

    func cell(_ object: ObjectBase) -> Cell {
        let identity = SubjectIdentity(object)
        if let known = objects[identity] { return .link(known.number) }
        let number = Int64(objects.count + 1)
        objects[identity] = (number, object)
        return .link(number)
    }
}

extension ScalarType {
    /// The order of the type's values.
    var order: CellOrder {
        if isFloatingPoint { return .floatingPoint }
        if self == .any { return .mixed }
        guard self == .decimal128 else { return .natural }
        let compare = { @Sendable (a: Cell, b: Cell) in
            let (x, y) = (Decimal128(cell: a), Decimal128(cell: b))
            return x < y ? -1 : x > y ? 1 : 0
        }
        return .custom(
            compare,
            rank: { cell in
                let value = Decimal128(cell: cell)
                // NaN ranks below all other decimals, as in their order.
                return value.isNaN ? Int64.min + 1 : CellOrder.rank(value.doubleValue.bitPattern)
            }, isNaN: { Decimal128(cell: $0).isNaN })
    }

    /// Returns the stored value of an enum or mapped type, and other values unchanged.
    fileprivate func comparable(_ value: Any) -> Any {
        if let mapped = value as? any _CustomPersistable {
            return mapped.persistedScalar.map(comparable) ?? value
        }
        return (value as? any RawRepresentable).map { $0.rawValue as Any } ?? value
    }

    fileprivate var isFraction: Bool { self == .float || self == .double }
    var isNumber: Bool { isInteger && self != .bool || isFraction || self == .decimal128 }

    /// Returns a number's cell as a double, for comparison with a number of another type.
    func number(_ cell: Cell) -> Double {
        guard case .word(let word) = cell else {
            return Decimal128(cell: cell).doubleValue
        }
        return isInteger ? Double(Int64(bitPattern: word)) : Double(bitPattern: word)
    }

    /// The arithmetic that adds values of the type. The sum of integers is a decimal if it does not fit into an integer.
    var arithmetic: Aggregate.Arithmetic {
        if isInteger { return .integer { Int64(exactly: $0)?.cell ?? Decimal128($0).cell } }
        if self == .any { return AnyRealmValue.arithmetic }
        if self != .decimal128 { return .floatingPoint }
        return .custom { DecimalCells({ Decimal128(cell: $0) }, cell: \.cell) }
    }

    /// Whether an aggregate function supports values of the type.
    func allows(_ function: QueryPath.Function) -> Bool {
        if self == .any { return true }
        return switch function {
        case .count: true
        case .min, .max: isNumber || self == .date
        case .sum, .average: isNumber
        }
    }
}

extension PropertyInfo {
    /// The order of the property's values.
    var order: CellOrder { type.scalar?.order ?? .natural }
}

extension StringOptions {
    /// The function that is applied to strings before they are compared; nil if strings are compared unchanged.
    var folding: TextTest.Folding? {
        if isEmpty { return nil }
        let ignoresCase = contains(.caseInsensitive)
        var options: String.CompareOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return TextTest.Folding(ascii: ignoresCase ? .lowercase : .unchanged) { [options] string in
            string.folding(options: options, locale: nil)
        }
    }
}
