import Foundation

/// The operators that key paths apply to collections: `@count`, `@sum.price`, `@unionOfObjects.owner.name`.
package enum CollectionOperator: String {
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
        if known == .count, let counted = flatten(subject) as? any CountedValue { return counted.count }
        guard let elements = CollectionContents.elements(of: subject) else {
            trap(
                """
                Collection operator '@\(name)' cannot be applied to '\(subject)' of type '\(type(of: subject))', which is no \
                collection.
                """)
        }
        let rest = String(keyPath.dropFirst(name.count + 2))
        return known.value(elements, rest, forms(of: subject, elements))
    }

    /// Returns the forms of values that the collection's elements may have.
    private static func forms(of subject: Any, _ elements: [Any]) -> any KeyValueForms {
        if let collection = subject as? any KeyValueCodedCollection { return collection.forms }
        var last: Any.Type?
        var (model, other): ((any KeyValueForms)?, (any KeyValueForms)?)
        for element in elements where model == nil || other == nil {
            if type(of: element) == last { continue }
            last = type(of: element)
            guard let known = Subjects.subject(in: element)?.class else { continue }
            if known.arePlain { other = known } else { model = known }
        }
        guard let model else { return other ?? PlainForms() }
        return other == nil ? model : MixedForms(models: model)
    }

    private func value(_ elements: [Any], _ keyPath: String, _ forms: any KeyValueForms) -> Any? {
        switch self {
        case .count: return elements.count
        case .sum: return sum(leaves(elements, keyPath), forms).value
        case .avg: return average(leaves(elements, keyPath), forms)
        case .min: return extreme(leaves(elements, keyPath), forms, isLargest: false)
        case .max: return extreme(leaves(elements, keyPath), forms, isLargest: true)
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
            if let subject = Subjects.subject(in: value) {
                return seen.insert(subject.class.identity(of: subject.object)).inserted
            }
            guard let value = hashable(value) else { return true }
            return seen.insert(value).inserted
        }
    }

    private func sum(_ values: [Any], _ forms: any KeyValueForms) -> Number {
        Number(sum: numbers(values, forms), forms)
    }

    private func average(_ values: [Any], _ forms: any KeyValueForms) -> Any {
        let numbers = numbers(values, forms)
        if numbers.isEmpty { return 0.0 }
        if let sum = Number.integerSum(numbers) { return forms.average(sum, of: numbers.count) }
        if case .wide(let sum) = Number(sum: numbers, forms) { return sum.divided(by: numbers.count) }
        return numbers.reduce(0) { $0 + $1.double } / Double(numbers.count)
    }

    /// Returns the values as numbers, without NaN. Traps if a value is not a number.
    private func numbers(_ values: [Any], _ forms: any KeyValueForms) -> [Number] {
        values.compactMap { value in
            guard let number = Number(value, forms) else {
                trap("Collection operator '@\(rawValue)' cannot sum '\(value)' of type '\(type(of: value))'.")
            }
            return number.isNaN ? nil : number
        }
    }

    /// Whether a value is a number or a date that is NaN. Operators ignore these.
    package static func isNaN(_ value: Any, _ forms: any KeyValueForms) -> Bool {
        Orderable(value, forms)?.isNaN ?? false
    }

    private func extreme(
        _ values: [Any], _ forms: any KeyValueForms, isLargest: Bool
    ) -> Any? {
        var best: (value: Any, order: Orderable)?
        for value in values {
            guard let order = Orderable(value, forms) else {
                trap(
                    "Collection operator '@\(rawValue)' cannot compare '\(value)' of type '\(type(of: value))'."
                )
            }
            if order.isNaN { continue }
            if let known = best?.order, !(isLargest ? known < order : order < known) { continue }
            best = (value, order)
        }
        return best?.value
    }

    /// A value that `@min` and `@max` can compare.
    private enum Orderable {
        case number(Number)
        case string(String)
        case date(Date)

        init?(_ value: Any, _ forms: any KeyValueForms) {
            switch forms.plainForm(value) {
            case let value as String: self = .string(value)
            case let value as Date: self = .date(value)
            default:
                guard let number = Number(value, forms) else { return nil }
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
