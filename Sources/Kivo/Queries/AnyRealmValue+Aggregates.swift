import KivoEngine

/// Of values of any type, the numbers count; sums and averages are decimals.
extension RealmCollection {
    /// The least number among the values of a property, or nil if there is none. O(n).
    public func min(ofProperty property: String) -> AnyRealmValue? { anyValue(.min, property) }

    /// The greatest number among the values of a property, or nil if there is none. O(n).
    public func max(ofProperty property: String) -> AnyRealmValue? { anyValue(.max, property) }

    /// The sum of the numbers among the values of a property, 0 if there are none. O(n).
    public func sum(ofProperty property: String) -> AnyRealmValue {
        anyValue(.sum, property) ?? .decimal128(0)
    }

    private func anyValue(_ function: QueryPath.Function, _ property: String) -> AnyRealmValue? {
        guard let query = _query else {
            let values = KeyValueCoding.value(of: self, forKeyPath: "@unionOfObjects.\(property)")
            return AnyRealmValue.fold(function, KeyValueCoding.elements(of: values) ?? [])
        }
        guard let (cell, type) = query.state.aggregate(function, property) else { return nil }
        return type == .any
            ? AnyRealmValue(plain: cell)
            : type.swiftType.flatMap { AnyRealmValue._fromAny($0.init(_cell: cell)) }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The least number among the values of a property, or nil if there is none. O(n).
    public func min(of keyPath: KeyPath<Element, AnyRealmValue>) -> AnyRealmValue? {
        min(ofProperty: KeyPathName.of(keyPath))
    }

    /// The greatest number among the values of a property, or nil if there is none. O(n).
    public func max(of keyPath: KeyPath<Element, AnyRealmValue>) -> AnyRealmValue? {
        max(ofProperty: KeyPathName.of(keyPath))
    }

    /// The sum of the numbers among the values of a property, 0 if there are none. O(n).
    public func sum(of keyPath: KeyPath<Element, AnyRealmValue>) -> AnyRealmValue {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the numbers among the values of a property, or nil if there are none. O(n).
    public func average(of keyPath: KeyPath<Element, AnyRealmValue>) -> Double? {
        average(ofProperty: KeyPathName.of(keyPath))
    }
}

extension RealmCollection where Element == AnyRealmValue {
    /// The least number, or nil if there is none. O(n).
    public func min() -> AnyRealmValue? { fold(.min) }
    /// The greatest number, or nil if there is none. O(n).
    public func max() -> AnyRealmValue? { fold(.max) }
    /// The sum of the numbers, 0 if there are none. O(n).
    public func sum() -> AnyRealmValue { fold(.sum) ?? .decimal128(0) }
    /// The average of the numbers, or nil if there are none. O(n).
    public func average() -> AnyRealmValue? { fold(.average) }

    private func fold(_ function: QueryPath.Function) -> AnyRealmValue? {
        guard let query = _query else { return AnyRealmValue.fold(function, map { $0 }) }
        return query.state.aggregate(function, .any).flatMap { AnyRealmValue(plain: $0) }
    }
}

extension AnyRealmValue {
    /// What a function makes of the numbers among some values; nil if it is nothing.
    fileprivate static func fold(_ function: QueryPath.Function, _ values: [Any]) -> AnyRealmValue? {
        var fold = AggregateFold(function.engine, .mixed, arithmetic)
        for value in values { if let cell = _fromAny(value)?.plainCell { fold.add(cell) } }
        return AnyRealmValue(plain: fold.result).flatMap { $0 == .none ? nil : $0 }
    }
}
