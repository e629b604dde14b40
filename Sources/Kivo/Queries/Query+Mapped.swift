/// Comparing mapped types, by what is stored; and the stored form, for what the mapped type has not.
extension Query where T: _CustomPersistable {
    /// What is stored, for comparisons with values of that type.
    public var persistableValue: Query<T.PersistedType> { retyped() }
}

extension Query where T: _QueryOptional, T.Wrapped: _CustomPersistable {
    /// What is stored, or nil, for comparisons with values of that type.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { retyped() }
}

extension Query where T: RealmCollection, T.Element: _CustomPersistable {
    /// What is stored of the elements, for comparisons with values of that type.
    public var persistableValue: Query<List<T.Element.PersistedType>> { retyped() }
}

extension Query where T: RealmCollection, T.Element: _QueryOptional, T.Element.Wrapped: _CustomPersistable {
    /// What is stored of the elements, or nil, for comparisons with values of that type.
    public var persistableValue: Query<List<T.Element.Wrapped.PersistedType?>> { retyped() }
}

extension Query where T: RealmKeyedCollection, T.Value: _CustomPersistable {
    /// What is stored of the map's values, for comparisons with values of that type.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { retyped() }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryOptional, T.Value.Wrapped: _CustomPersistable {
    /// What is stored of the map's values, or nil, for comparisons with values of that type.
    public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> { retyped() }
}

extension Query where T: _CustomPersistable, T.PersistedType: SortableType {
    /// Whether what is stored of a property is less than what is stored of a value.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compared(.less, right) }
    /// Whether what is stored of one property is less than what is stored of another.
    public static func < (left: Query, right: Query) -> Query<Bool> { left.compared(.less, right) }
    /// Whether what is stored of a property is what is stored of a value at most.
    public static func <= (left: Query, right: T) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Whether what is stored of one property is what is stored of another at most.
    public static func <= (left: Query, right: Query) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Whether what is stored of a property is greater than what is stored of a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether what is stored of one property is greater than what is stored of another.
    public static func > (left: Query, right: Query) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether what is stored of a property is what is stored of a value at least.
    public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
    /// Whether what is stored of one property is what is stored of another at least.
    public static func >= (left: Query, right: Query) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
}

extension Query
where T: _QueryOptional, T.Wrapped: _CustomPersistable, T.Wrapped.PersistedType: SortableType {
    /// Whether what is stored of a property is less than what is stored of a value.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compared(.less, right) }
    /// Whether what is stored of one property is less than what is stored of another.
    public static func < (left: Query, right: Query) -> Query<Bool> { left.compared(.less, right) }
    /// Whether what is stored of a property is what is stored of a value at most.
    public static func <= (left: Query, right: T) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Whether what is stored of one property is what is stored of another at most.
    public static func <= (left: Query, right: Query) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Whether what is stored of a property is greater than what is stored of a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether what is stored of one property is greater than what is stored of another.
    public static func > (left: Query, right: Query) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether what is stored of a property is what is stored of a value at least.
    public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
    /// Whether what is stored of one property is what is stored of another at least.
    public static func >= (left: Query, right: Query) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
}

extension Query
where T: RealmCollection, T.Element: _CustomPersistable, T.Element.PersistedType: SortableType {
    /// Whether what is stored of an element is less than what is stored of a value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> { left.compared(.less, right) }
    /// Whether what is stored of an element is what is stored of a value at most.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.lessOrEqual, right)
    }
    /// Whether what is stored of an element is greater than what is stored of a value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether what is stored of an element is what is stored of a value at least.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greaterOrEqual, right)
    }
}

/// Comparing mapped texts, by what is stored.
extension Query where T: _CustomPersistable, T.PersistedType: _QueryBinary {
    /// Whether what is stored contains what is stored of a value, by the options.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether what is stored begins with what is stored of a value, by the options.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether what is stored ends with what is stored of a value, by the options.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Whether what is stored equals what is stored of a value, by the options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options)
    }

    /// Whether what is stored differs from what is stored of a value, by the options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }
}

/// Comparing mapped texts that may be missing, by what is stored.
extension Query
where T: _QueryOptional, T.Wrapped: _CustomPersistable, T.Wrapped.PersistedType: _QueryBinary {
    /// Whether what is stored contains what is stored of a value, by the options.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether what is stored begins with what is stored of a value, by the options.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether what is stored ends with what is stored of a value, by the options.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Whether what is stored equals what is stored of a value, by the options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options)
    }

    /// Whether what is stored differs from what is stored of a value, by the options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }
}

extension Query where T: _CustomPersistable, T.PersistedType: _QueryString {
    /// Whether what is stored is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ pattern: T.PersistedType, caseInsensitive: Bool = false) -> Query<Bool> {
        persistableValue.like(pattern, caseInsensitive: caseInsensitive)
    }
}

/// What is made of collections of mapped types: of what is stored.
extension Query where T: RealmCollection, T.Element: _CustomPersistable, T.Element.PersistedType: MinMaxType {
    /// The element of which the smallest value is stored.
    public var min: Query<T.Element> { aggregate(.min) }
    /// The element of which the largest value is stored.
    public var max: Query<T.Element> { aggregate(.max) }
}

extension Query
where T: RealmCollection, T.Element: _CustomPersistable, T.Element.PersistedType: AddableType {
    /// The average of the stored values.
    public var avg: Query<T.Element> { aggregate(.average) }
    /// The sum of the stored values.
    public var sum: Query<T.Element> { aggregate(.sum) }
}

extension Query
where T: RealmKeyedCollection, T.Value: _CustomPersistable, T.Value.PersistedType: MinMaxType {
    /// The value of which the smallest is stored.
    public var min: Query<T.Value> { aggregate(.min) }
    /// The value of which the largest is stored.
    public var max: Query<T.Value> { aggregate(.max) }
}

extension Query
where T: RealmKeyedCollection, T.Value: _CustomPersistable, T.Value.PersistedType: AddableType {
    /// The average of the stored values.
    public var avg: Query<T.Value> { aggregate(.average) }
    /// The sum of the stored values.
    public var sum: Query<T.Value> { aggregate(.sum) }
}
