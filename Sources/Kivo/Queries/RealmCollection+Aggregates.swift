import KivoEngine

extension RealmCollection where Element: ObjectBase {
    /// The smallest value of a property, or nil if there is none. O(n).
    public func min<Value: MinMaxType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Value? {
        min(ofProperty: KeyPathName.of(keyPath))
    }

    /// The smallest value of an optional property, or nil if there is none. O(n).
    public func min<Value: MinMaxType & _Scalar>(of keyPath: KeyPath<Element, Value?>) -> Value? {
        min(ofProperty: KeyPathName.of(keyPath))
    }

    /// The largest value of a property, or nil if there is none. O(n).
    public func max<Value: MinMaxType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Value? {
        max(ofProperty: KeyPathName.of(keyPath))
    }

    /// The largest value of an optional property, or nil if there is none. O(n).
    public func max<Value: MinMaxType & _Scalar>(of keyPath: KeyPath<Element, Value?>) -> Value? {
        max(ofProperty: KeyPathName.of(keyPath))
    }

    /// The sum of the values of a property, 0 if there are none. O(n). Traps if it does not fit the property's type.
    public func sum<Value: AddableType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Value {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The sum of the values of an optional property, 0 if there are none. O(n). Traps if it does not fit the
    /// property's type.
    public func sum<Value: AddableType & _Scalar>(of keyPath: KeyPath<Element, Value?>) -> Value {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the values of a property, or nil if there are none. O(n).
    public func average<Value: AddableType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Double? {
        average(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the values of an optional property, or nil if there are none. O(n).
    public func average<Value: AddableType & _Scalar>(of keyPath: KeyPath<Element, Value?>) -> Double? {
        average(ofProperty: KeyPathName.of(keyPath))
    }
}

/// Aggregates of a property by name. They trap in collections of plain values.
extension RealmCollection {
    /// The smallest value of a property or key path, by name, or nil if there is none. O(n). Traps if there is no such
    /// property or it is no number and no date.
    public func min<Value: MinMaxType & _Scalar>(ofProperty property: String) -> Value? {
        value(.min, property)
    }

    /// The largest value of a property or key path, by name, or nil if there is none. O(n). Traps if there is no such
    /// property or it is no number and no date.
    public func max<Value: MinMaxType & _Scalar>(ofProperty property: String) -> Value? {
        value(.max, property)
    }

    /// The sum of the values of a property or key path, by name, 0 if there are none. O(n). Traps if there is no such
    /// property, if it is no number, and if the sum does not fit.
    public func sum<Value: AddableType & _Scalar>(ofProperty property: String) -> Value {
        value(.sum, property)!
    }

    /// The average of the values of a property or key path, by name, or nil if there are none. O(n). Traps if there is no
    /// such property or it is no number.
    public func average(ofProperty property: String) -> Double? {
        guard let query = _query else { return KeyValueCoding.average(of: self, property) }
        return query.state.aggregate(.average, property).map { number($0, ofAverageOf: $1) }
    }

    private func value<Value: _Scalar>(_ function: QueryPath.Function, _ property: String) -> Value? {
        guard let query = _query else {
            let value = value(forKeyPath: "@\(function.rawValue).\(property)")
            return value.map(persisted).flatMap {
                Value._fromAny(($0 as? any RawRepresentable)?.rawValue ?? $0)
            }
        }
        return query.state.aggregate(function, property).map { cell, type in
            // The values of fractions are summed up as doubles.
            if type == Value._scalarType || type.isInteger && Value._scalarType.isInteger
                || type.isFloatingPoint && Value._scalarType.isFloatingPoint
            {
                return Value.fitting(cell, function, property)
            }
            guard let value = type.swiftType.flatMap({ Value._fromAny($0.init(_cell: cell)) }) else {
                trap("The \(function.rawValue) of '\(property)' does not fit '\(Value.self)'.")
            }
            return value
        }
    }
}

extension RealmCollection where Element: _Scalar & MinMaxType & Comparable {
    /// The smallest value, or nil if there is none. O(n).
    public func min() -> Element? { extreme(.min) }
    /// The largest value, or nil if there is none. O(n).
    public func max() -> Element? { extreme(.max) }
}

extension RealmCollection where Element: _Scalar & AddableType {
    /// The sum of the values, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum() -> Element { total() }
    /// The average of the values, or nil if there are none. O(n).
    public func average() -> Double? { average(of: Element.self) }
}

extension RealmCollection {
    /// The smallest value that is not nil, or nil if there is none. O(n).
    public func min<Value: _Scalar & MinMaxType & Comparable>() -> Value? where Element == Value? {
        extreme(.min)
    }

    /// The largest value that is not nil, or nil if there is none. O(n).
    public func max<Value: _Scalar & MinMaxType & Comparable>() -> Value? where Element == Value? {
        extreme(.max)
    }

    /// The sum of the values that are not nil, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: _Scalar & AddableType>() -> Value where Element == Value? { total() }

    /// The average of the values that are not nil, or nil if there are none. O(n).
    public func average<Value: _Scalar & AddableType>() -> Double? where Element == Value? {
        average(of: Value.self)
    }
}

/// Aggregates of plain values, optional or not, or of the raw values of enums.
extension RealmCollection {
    /// The values of an unmanaged collection that are not nil.
    private func plainValues<Value>() -> [Value] {
        compactMap { element in
            let value = flatten(element)
            if let value = value as? Value { return value }
            return value.flatMap {
                (persisted($0) as? Value) ?? ($0 as? any RawRepresentable)?.rawValue as? Value
            }
        }
    }

    func extreme<Value: _Scalar & Comparable>(_ function: QueryPath.Function) -> Value? {
        guard let query = _query else {
            let values: [Value] = plainValues()
            return function == .min ? values.min() : values.max()
        }
        return query.state.aggregate(function, Value._scalarType).map { Value(_cell: $0) }
    }

    func total<Value: _Scalar>() -> Value {
        guard let query = _query else {
            let values: [Value] = plainValues()
            return Value._fromAny(KeyValueCoding.value(of: values, forKeyPath: "@sum.self"))
                ?? Value._makeDefault()
        }
        return Value.fitting(query.state.aggregate(.sum, Value._scalarType)!, .sum, "self")
    }

    func average<Value: _Scalar>(of type: Value.Type) -> Double? {
        guard let query = _query else {
            let values: [Value] = plainValues()
            return KeyValueCoding.average(of: values, "self")
        }
        let scalar = Value._scalarType
        return query.state.aggregate(.average, scalar).map { number($0, ofAverageOf: scalar) }
    }

}

extension KeyValueCoding {
    /// The average of the values of a property in an array or an unmanaged collection, or nil if there are none.
    fileprivate static func average(of elements: Any, _ property: String) -> Double? {
        let values = value(of: elements, forKeyPath: "@unionOfObjects.\(property)")
        if KeyValueCoding.elements(of: values)?.isEmpty ?? true { return nil }
        let average = value(of: elements, forKeyPath: "@avg.\(property)")
        return average.flatMap(floatingPoint) ?? (average as? Decimal128)?.doubleValue
    }
}

/// The average in a cell: of decimals it is a decimal itself.
private func number(_ cell: Cell, ofAverageOf scalar: ScalarType) -> Double {
    scalar == .decimal128 || scalar == .any ? AnyRealmValue.decimal(cell).doubleValue : Double(_cell: cell)
}
extension _Scalar {
    /// The value of a cell that was worked out. Traps if it does not fit.
    fileprivate static func fitting(_ cell: Cell, _ function: QueryPath.Function, _ property: String) -> Self
    {
        let value = Self(_cell: cell)
        if _scalarType.isInteger, value._cell != cell {
            trap("The \(function.rawValue) of '\(property)' does not fit '\(Self.self)'.")
        }
        return value
    }
}

extension QueryState {
    /// What a function makes of a property of the result's objects, and the property's type; nil if it is nothing.
    func aggregate(
        _ function: QueryPath.Function, _ property: String
    ) -> (cell: Cell, type: ScalarType)? {
        instance.checkConfinement { "results" }
        guard let elements else { trap("Plain values have no property '\(property)'.") }
        let resolved = PathResolver(context: elements).resolve(property)
        guard case .scalar(let scalar) = resolved.type, resolved.path.isSingle,
            scalar.allows(function)
        else { trap("The \(function.rawValue) of '\(property)' cannot be made of \(resolved.type.text).") }
        return fold(function, scalar, resolved.path).map { ($0, scalar) }
    }

    /// What a function makes of the result's plain values; nil if it is nothing.
    func aggregate(_ function: QueryPath.Function, _ scalar: ScalarType) -> Cell? {
        instance.checkConfinement { "results" }
        return fold(function, scalar, nil)
    }

    private func fold(_ function: QueryPath.Function, _ scalar: ScalarType, _ path: ResolvedPath?) -> Cell? {
        var fold = AggregateFold(function.engine, scalar.order, scalar.arithmetic)
        if !isInvalidated { query.fold(path, &fold, instance.snapshot, instance.catalog) }
        return fold.result == .null ? nil : fold.result
    }
}
