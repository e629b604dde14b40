import Foundation
import KivoEngine

/// The result of an aggregate function on the values of a collection, with the type in which the values are stored.
struct AggregateValue {
    let value: Any
    let function: QueryPath.Function
    let property: String

    init(_ value: Any, _ function: QueryPath.Function, _ property: String) {
        (self.value, self.function, self.property) = (value, function, property)
    }

    /// Creates the value of a cell. For integers it is an `Int64`, since a sum may exceed the property's type, or a decimal if it
    /// exceeds `Int64`. For values of any type it is an `AnyRealmValue`. Fails if there is no value.
    init?(_ cell: Cell, _ type: ScalarType, _ function: QueryPath.Function, _ property: String) {
        if cell == .null { return nil }
        let value: Any? =
            switch type {
            case .any: AnyRealmValue(plain: cell).flatMap { $0 == .none ? nil : $0 }
            case .decimal128: Decimal128(cell: cell)
            case _ where function == .average: Double(cell: cell)
            case .float where function == .sum: Double(cell: cell)
            case _ where type.isInteger:
                if case .wide = cell { Decimal128(cell: cell) } else { Int64(cell: cell) }
            default: type.swiftType!.init(cell: cell)
            }
        guard let value else { return nil }
        self.init(value, function, property)
    }

    /// Returns the result of a function on no values: 0 for the sum, otherwise nil.
    static func ofNothing(_ function: QueryPath.Function, _ property: String) -> AggregateValue? {
        function == .sum ? AggregateValue(Decimal128(0), function, property) : nil
    }

    /// Converts the value to the type that the caller asks for. Traps if the type cannot hold it.
    func converted<Value>(to type: Value.Type) -> Value {
        if let value = Self.convert(value, to: type) { return value }
        let remedy =
            function == .sum && (type as? any _Persistable.Type) != Double.self
            ? " Ask for it as a type that holds it, such as 'Double', with 'sum(ofProperty:)'." : ""
        trap("The \(function.rawValue) of '\(property)' is \(value), which does not fit '\(type)'.\(remedy)")
    }

    private static func convert<Value>(_ value: Any, to type: Value.Type) -> Value? {
        if let value = value as? Value { return value }
        if type == Int.self, let value = value as? Int64 { return Int(exactly: value) as? Value }
        if type == NSNumber.self { return number(value) as? Value }
        if type == NSDate.self { return (value as? Date).map { $0 as NSDate } as? Value }
        func make<T: _Persistable>(_ type: T.Type) -> Any? {
            func take(_ value: Any) -> Any? { type._access.type.fromAny(value) }
            if let made = take(value) { return made }
            let plain = plain(value)
            if let made = take(plain) { return made }
            // Integers are the numbers without a fraction. They are not rounded as doubles on the way.
            let takesFractions = take(0.5) != nil
            return takesFractions ? double(plain).flatMap(take) : whole(plain).flatMap(take)
        }
        return (type as? any _Persistable.Type).flatMap { make($0) } as? Value
    }

    /// Returns the value inside a value of any type, and other values unchanged.
    private static func plain(_ value: Any) -> Any {
        (value as? AnyRealmValue).flatMap(AnyRealmValue.toAny) ?? value
    }

    private static func double(_ value: Any) -> Double? {
        (value as? Decimal128)?.doubleValue ?? floatingPoint(value)
    }

    /// Returns a number without its fraction; nil if that does not fit `Int64`.
    private static func whole(_ value: Any) -> Int64? {
        if let decimal = value as? Decimal128 {
            return decimal.isFinite ? Int64(exactly: decimal.wholePart) : nil
        }
        return integer(value) ?? floatingPoint(value).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    private static func number(_ value: Any) -> NSNumber? {
        let value = plain(value)
        if value is any BinaryInteger { return integer(value).map { NSNumber(value: $0) } }
        if let decimal = value as? Decimal128, let whole = whole(decimal), Decimal128(whole) == decimal {
            return NSNumber(value: whole)
        }
        return double(value).map { NSNumber(value: $0) }
    }
}

extension RealmCollection {
    /// Returns the result of a function on the values of a property, converted to the caller's type; returns nil if there is no
    /// result.
    func aggregate<Value>(_ function: QueryPath.Function, _ property: String) -> Value? {
        if property == "self", !(Element.self is any RealmFetchable.Type) { return aggregate(function) }
        let value: AggregateValue?
        if let query = queryState {
            value = query.aggregate(function, property).flatMap {
                AggregateValue($0.cell, $0.type, function, property)
            }
        } else {
            checkAggregates(function, property)
            value = KeyValueCoding.aggregate(function, property, of: self).map {
                AggregateValue($0, function, property)
            }
        }
        return (value ?? .ofNothing(function, property))?.converted(to: Value.self)
    }

    /// Traps if a function cannot be applied to a stored property of the elements, which are unmanaged.
    private func checkAggregates(_ function: QueryPath.Function, _ property: String) {
        guard let type = Element.self as? ObjectBase.Type,
            let path = try? ObjectScope(type).resolve(QueryPath.Component.named(property))
        else { return }
        _ = QueryMismatch.trapping { () throws(QueryMismatch) in try path.type.scalar(function, property) }
    }

    /// Returns the result of a function on plain values, converted to the caller's type; returns nil if there is no result.
    func aggregate<Value>(_ function: QueryPath.Function) -> Value? {
        var type = DeclaredType()
        Element._access.type.describeElement(&type)
        guard let scalar = type.scalar, scalar.allows(function) else {
            trap("The \(function.rawValue) of a collection of '\(Element.self)' cannot be made.")
        }
        let cell: Cell?
        if let query = queryState {
            cell = query.aggregate(function, scalar)
        } else {
            var fold = AggregateFold(function.engine, scalar.order, scalar.arithmetic)
            for element in self { fold.add(element._aggregateCell) }
            // The sum of an empty unmanaged collection of values of any type is an integer 0. If there are elements but no
            // numbers, or if the collection is managed, it is a decimal 0.
            if scalar == .any, function == .sum, isEmpty {
                return AggregateValue(Int64(0), function, "self").converted(to: Value.self)
            }
            cell = fold.result == .null ? nil : fold.result
        }
        let value = cell.flatMap { AggregateValue($0, scalar, function, "self") }
        return (value ?? .ofNothing(function, "self"))?.converted(to: Value.self)
    }
}

extension RealmCollectionValue {
    /// The cell of an element of an unmanaged collection, for aggregation.
    fileprivate var _aggregateCell: Cell {
        if let any = self as? AnyRealmValue { return any.plainCell ?? .null }
        return cell(in: .unmanaged)
    }
}

extension QueryValueType {
    /// Returns the type of values that a function combines. Throws if it does not support them.
    fileprivate func scalar(
        _ function: QueryPath.Function, _ property: String, isSingle: Bool = true
    ) throws(QueryMismatch) -> ScalarType {
        guard case .scalar(let scalar) = self, isSingle, scalar.allows(function) else {
            throw QueryMismatch("The \(function.rawValue) of '\(property)' cannot be made of \(text).")
        }
        return scalar
    }
}

extension KeyValueCoding {
    /// Returns the result of a function on the values of a property in an unmanaged collection; returns nil if there is no
    /// result.
    fileprivate static func aggregate(
        _ function: QueryPath.Function, _ property: String, of elements: Any
    ) -> Any? {
        if function == .average {
            let values = value(of: elements, forKeyPath: "@unionOfObjects.\(property)")
            let hasNumbers = CollectionContents.elements(of: values)?.contains {
                !CollectionOperator.isNaN($0, ModelForms())
            }
            if hasNumbers != true { return nil }
        }
        let result = value(of: elements, forKeyPath: "@\(function.rawValue).\(property)")
        return result.map(persisted).map { ($0 as? any RawRepresentable)?.rawValue ?? $0 }
    }
}

extension QueryState {
    /// The values that a function combines: the type in which they are stored, and the path to them from the result's objects; nil
    /// for plain values.
    typealias AggregatedValues = (type: ScalarType, path: ResolvedPath?)

    /// Returns the values of a property of the result's objects, or of plain values if the property is `"self"`. Throws if the
    /// function does not support them.
    func checkedValues(
        _ function: QueryPath.Function, _ property: String
    ) throws(QueryMismatch) -> AggregatedValues {
        guard let elements else {
            guard property == "self", case .collection(let reference) = source else {
                throw QueryMismatch("Plain values have no property '\(property)'.")
            }
            guard let scalar = reference.property.type.scalar, scalar.allows(function) else {
                throw QueryMismatch(
                    "The \(function.rawValue) of collection '\(reference.name)' cannot be made.")
            }
            return (scalar, nil)
        }
        let resolved = try RowScope(elements).resolve(QueryPath.Component.named(property))
        let type = try resolved.type.scalar(function, property, isSingle: resolved.isSingle)
        return (type, resolved.path)
    }

    /// Returns the values that a function combines; see ``checkedValues(_:_:)``. Traps if it does not support them.
    func values(_ function: QueryPath.Function, _ property: String) -> AggregatedValues {
        QueryMismatch.trapping { () throws(QueryMismatch) in try checkedValues(function, property) }
    }

    /// Returns the result of a function on a property of the result's objects, and the property's type; returns nil if there is
    /// no result.
    func aggregate(
        _ function: QueryPath.Function, _ property: String
    ) -> (cell: Cell, type: ScalarType)? {
        instance.checkConfinement { "results" }
        let values = values(function, property)
        noteRead(of: .aggregate(function, property))
        return fold(function, values).map { ($0, values.type) }
    }

    /// Returns the result of a function on the result's plain values; returns nil if there is none.
    func aggregate(_ function: QueryPath.Function, _ scalar: ScalarType) -> Cell? {
        instance.checkConfinement { "results" }
        return fold(function, (scalar, nil))
    }

    private func fold(_ function: QueryPath.Function, _ values: AggregatedValues) -> Cell? {
        var fold = AggregateFold(function.engine, values.type.order, values.type.arithmetic)
        if !isSourceGone { query.fold(values.path, &fold, instance.snapshot, instance.catalog) }
        return fold.result == .null ? nil : fold.result
    }
}
