import Foundation
import KivoEngine

/// The operators that key paths apply to collections: `@count`, `@sum.price`, `@unionOfObjects.owner.name`.
enum CollectionOperator: String {
    case count, sum, avg, min, max
    case unionOfObjects, distinctUnionOfObjects
    case unionOfArrays, distinctUnionOfArrays
    case unionOfSets, distinctUnionOfSets

    /// Returns the value of a key path that begins with an operator. Traps if there is no such operator, or if the subject is not
    /// a collection.
    static func value(of subject: Any, _ keyPath: String) -> Any? {
        let name = keyPath.dropFirst().prefix { $0 != "." }
        guard let known = CollectionOperator(rawValue: String(name)) else {
            trap("There is no collection operator '@\(name)' in key path '\(keyPath)'.")
        }
        guard let elements = CollectionContents.elements(of: subject) else {
            trap(
                """
                Collection operator '@\(name)' cannot be applied to '\(subject)' of type '\(type(of: subject))', which is no \
                collection.
                """)
        }
        let rest = String(keyPath.dropFirst(name.count + 2))
        return known.value(elements, rest)
    }

    private func value(_ elements: [Any], _ keyPath: String) -> Any? {
        switch self {
        case .count: return elements.count
        case .sum: return sum(leaves(elements, keyPath)).value
        case .avg: return average(leaves(elements, keyPath))
        case .min: return extreme(leaves(elements, keyPath)) { $0 < $1 }
        case .max: return extreme(leaves(elements, keyPath)) { $1 < $0 }
        case .unionOfObjects: return leaves(elements, keyPath)
        case .distinctUnionOfObjects: return distinct(leaves(elements, keyPath))
        case .unionOfArrays: return nestedLeaves(elements, keyPath)
        case .distinctUnionOfArrays: return distinct(nestedLeaves(elements, keyPath))
        case .unionOfSets, .distinctUnionOfSets:
            return Set(nestedLeaves(elements, keyPath).compactMap { hashable($0) })
        }
    }

    /// Returns the values of a key path of each element, without nil.
    private func leaves(_ elements: [Any], _ keyPath: String) -> [Any] {
        elements.compactMap { element -> Any? in
            let value =
                keyPath.isEmpty || keyPath == "self"
                ? flatten(element) : flatten(KeyValueCoding.value(of: element, forKeyPath: keyPath))
            return value is NSNull ? nil : value
        }
    }

    /// Returns the values of a key path of each element of each collection, without nil.
    private func nestedLeaves(_ elements: [Any], _ keyPath: String) -> [Any] {
        elements.flatMap { element -> [Any] in
            guard let inner = CollectionContents.elements(of: element) else {
                trap(
                    "Collection operator '@\(rawValue)' needs a collection of collections, and found '\(element)'."
                )
            }
            return leaves(inner, keyPath)
        }
    }

    /// Returns the first of each group of equal values. Objects of a realm are equal if they are the same row.
    private func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            if let object = value as? ObjectBase {
                return seen.insert(SubjectIdentity(object)).inserted
            }
            guard let value = hashable(value) else { return true }
            return seen.insert(value).inserted
        }
    }

    private func sum(_ values: [Any]) -> Number { Number(sum: numbers(values)) }

    private func average(_ values: [Any]) -> Any {
        let numbers = numbers(values)
        if numbers.isEmpty { return 0.0 }
        if let sum = Number.integerSum(numbers) { return sum.average(of: numbers.count) }
        if case .decimal(let sum) = Number(sum: numbers) {
            return sum / Decimal128(integerLiteral: Int64(numbers.count))
        }
        return numbers.reduce(0) { $0 + $1.double } / Double(numbers.count)
    }

    /// Returns the values as numbers, without NaN. Traps if a value is not a number.
    private func numbers(_ values: [Any]) -> [Number] {
        values.compactMap { value in
            guard let number = Number(value) else {
                trap("Collection operator '@\(rawValue)' cannot sum '\(value)' of type '\(type(of: value))'.")
            }
            return number.isNaN ? nil : number
        }
    }

    /// Whether a value is a number or a date that is NaN. Operators ignore these.
    static func isNaN(_ value: Any) -> Bool { Orderable(value)?.isNaN ?? false }

    private func extreme(_ values: [Any], _ isBefore: (Orderable, Orderable) -> Bool) -> Any? {
        var best: (value: Any, order: Orderable)?
        for value in values {
            guard let order = Orderable(value) else {
                trap(
                    "Collection operator '@\(rawValue)' cannot compare '\(value)' of type '\(type(of: value))'."
                )
            }
            if order.isNaN { continue }
            if let known = best, !isBefore(order, known.order) { continue }
            best = (value, order)
        }
        return best?.value
    }

    /// A value that `@min` and `@max` can compare.
    private enum Orderable {
        case number(Number)
        case string(String)
        case date(Date)

        init?(_ value: Any) {
            switch value {
            case let value as String: self = .string(value)
            case let value as Date: self = .date(value)
            case let value as any PersistableEnum: self.init(value.rawValue)
            case let value as any _CustomPersistable:
                guard let scalar = value.persistedScalar else { return nil }
                self.init(scalar)
            default:
                guard let number = Number(value) else { return nil }
                self = .number(number)
            }
        }

        var isNaN: Bool {
            switch self {
            case .number(let number): number.isNaN
            case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
            case .string: false
            }
        }

        static func < (a: Orderable, b: Orderable) -> Bool {
            switch (a, b) {
            case (.number(let a), .number(let b)): a < b
            case (.string(let a), .string(let b)): a < b
            case (.date(let a), .date(let b)): a < b
            default: false
            }
        }
    }
}

/// A number of any type. Integers are added exactly, and their sum is a `Decimal128` if it does not fit into an `Int`. Other
/// numbers are added as `Double`, or as `Decimal128` if one of them is.
private enum Number {
    case integer(Int)
    case double(Double)
    case decimal(Decimal128)

    init?(_ value: Any) {
        switch hashable(value)?.base {
        case let value as Bool: self = .integer(value ? 1 : 0)
        case let value as Decimal128: self = .decimal(value)
        case let value as any PersistableEnum: self.init(value.rawValue)
        case let value as any _CustomPersistable:
            guard let scalar = value.persistedScalar else { return nil }
            self.init(scalar)
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
        case .decimal(let value): value.doubleValue
        }
    }

    var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    var isNaN: Bool { CellOrder.mixed.isNaN(cell) }

    /// The number as the cell of a mixed value, by which numbers of different types are compared.
    private var cell: Cell {
        switch self {
        case .integer(let value): .typedWord(value.word, .int)
        case .double(let value): .typedWord(value.word, .double)
        case .decimal(let value): .typedWide(value.bits.0, value.bits.1, .decimal128)
        }
    }

    private var decimal: Decimal128 {
        switch self {
        case .integer(let value): Decimal128(integerLiteral: Int64(value))
        case .double(let value): Decimal128(floatLiteral: value)
        case .decimal(let value): value
        }
    }

    /// The number with its own type.
    var value: Any {
        switch self {
        case .integer(let value): value
        case .double(let value): value
        case .decimal(let value): value
        }
    }

    /// Creates the sum of numbers.
    init(sum numbers: [Number]) {
        if let sum = Number.integerSum(numbers) {
            self = Int(exactly: sum).map { .integer($0) } ?? .decimal(Decimal128(sum))
        } else {
            self = numbers.reduce(.integer(0)) { $0 + $1 }
        }
    }

    /// Returns the exact sum of integers; returns nil if other numbers are among them.
    static func integerSum(_ numbers: [Number]) -> Int128? {
        var sum: Int128 = 0
        for number in numbers {
            guard let integer = number.integer else { return nil }
            sum += Int128(integer)
        }
        return sum
    }

    static func + (a: Number, b: Number) -> Number {
        switch (a, b) {
        case (.integer(let x), .integer(let y)):
            let (sum, isOverflow) = x.addingReportingOverflow(y)
            return isOverflow ? .double(Double(x) + Double(y)) : .integer(sum)
        case (.decimal, _), (_, .decimal): return .decimal(a.decimal + b.decimal)
        default: return .double(a.double + b.double)
        }
    }

    static func < (a: Number, b: Number) -> Bool { CellOrder.mixed.compare(a.cell, b.cell) < 0 }
}
