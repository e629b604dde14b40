/// Comparing string enums as text: with cases, with strings, and with each other, by raw value.
///
/// A property without a value contains nothing, begins and ends with nothing, and is like nothing.
extension Query where T: PersistableEnum, T.RawValue: _QueryBinary {
    /// Whether the raw value contains that of a case.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        rawValue.contains(value.rawValue, options: options)
    }

    /// Whether the raw value contains another value.
    public func contains(_ value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        rawValue.contains(value, options: options)
    }

    /// Whether the raw value contains that of another property.
    public func contains(_ column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.contains(column.rawValue, options: options)
    }

    /// Whether the raw value begins with that of a case.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        rawValue.starts(with: value.rawValue, options: options)
    }

    /// Whether the raw value begins with another value.
    public func starts(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        rawValue.starts(with: value, options: options)
    }

    /// Whether the raw value begins with that of another property.
    public func starts(with column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.starts(with: column.rawValue, options: options)
    }

    /// Whether the raw value ends with that of a case.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        rawValue.ends(with: value.rawValue, options: options)
    }

    /// Whether the raw value ends with another value.
    public func ends(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        rawValue.ends(with: value, options: options)
    }

    /// Whether the raw value ends with that of another property.
    public func ends(with column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.ends(with: column.rawValue, options: options)
    }

    /// Whether the value equals a case, by the options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        rawValue.equals(value.rawValue, options: options)
    }

    /// Whether the value equals that of another property, by the options.
    public func equals(_ column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.equals(column.rawValue, options: options)
    }

    /// Whether the value differs from a case, by the options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        rawValue.notEquals(value.rawValue, options: options)
    }

    /// Whether the value differs from that of another property, by the options.
    public func notEquals(_ column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.notEquals(column.rawValue, options: options)
    }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryString {
    /// Whether the raw value is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ pattern: T.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        rawValue.like(pattern, caseInsensitive: caseInsensitive)
    }

    /// Whether the raw value is like that of a case, as a pattern.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        rawValue.like(value.rawValue, caseInsensitive: caseInsensitive)
    }
}

extension Query where T: _QueryOptional, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryBinary {
    /// Whether the raw value contains that of a case.
    public func contains(_ value: T.Wrapped, options: StringOptions = []) -> Query<Bool> {
        rawValue.contains(value.rawValue, options: options)
    }

    /// Whether the raw value contains another value.
    public func contains(_ value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        rawValue.contains(value, options: options)
    }

    /// Whether the raw value contains that of another property.
    public func contains(_ column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.contains(column.rawValue, options: options)
    }

    /// Whether the raw value begins with that of a case.
    public func starts(with value: T.Wrapped, options: StringOptions = []) -> Query<Bool> {
        rawValue.starts(with: value.rawValue, options: options)
    }

    /// Whether the raw value begins with another value.
    public func starts(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        rawValue.starts(with: value, options: options)
    }

    /// Whether the raw value begins with that of another property.
    public func starts(with column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.starts(with: column.rawValue, options: options)
    }

    /// Whether the raw value ends with that of a case.
    public func ends(with value: T.Wrapped, options: StringOptions = []) -> Query<Bool> {
        rawValue.ends(with: value.rawValue, options: options)
    }

    /// Whether the raw value ends with another value.
    public func ends(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        rawValue.ends(with: value, options: options)
    }

    /// Whether the raw value ends with that of another property.
    public func ends(with column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.ends(with: column.rawValue, options: options)
    }

    /// Whether the value equals a case, by the options; nil asks whether there is no value.
    public func equals(_ value: T.Wrapped?, options: StringOptions = []) -> Query<Bool> {
        rawValue.equals(value?.rawValue, options: options)
    }

    /// Whether the value equals that of another property, by the options.
    public func equals(_ column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.equals(column.rawValue, options: options)
    }

    /// Whether the value differs from a case, by the options; nil asks whether there is a value.
    public func notEquals(_ value: T.Wrapped?, options: StringOptions = []) -> Query<Bool> {
        rawValue.notEquals(value?.rawValue, options: options)
    }

    /// Whether the value differs from that of another property, by the options.
    public func notEquals(_ column: Query<T>, options: StringOptions = []) -> Query<Bool> {
        rawValue.notEquals(column.rawValue, options: options)
    }
}

extension Query where T: _QueryOptional, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryString {
    /// Whether the raw value is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ pattern: T.Wrapped.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        rawValue.like(pattern, caseInsensitive: caseInsensitive)
    }

    /// Whether the raw value is like that of a case, as a pattern.
    public func like(_ value: T.Wrapped, caseInsensitive: Bool = false) -> Query<Bool> {
        rawValue.like(value.rawValue, caseInsensitive: caseInsensitive)
    }
}

/// What is made of collections of enums: of the raw values.
extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: MinMaxType {
    /// The element with the smallest raw value.
    public var min: Query<T.Element> { aggregate(.min) }
    /// The element with the largest raw value.
    public var max: Query<T.Element> { aggregate(.max) }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: AddableType {
    /// The average of the elements' raw values.
    public var avg: Query<T.Element.RawValue> { aggregate(.average) }
    /// The sum of the elements' raw values.
    public var sum: Query<T.Element.RawValue> { aggregate(.sum) }
}

extension Query
where
    T: RealmCollection, T.Element: _QueryOptional, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: MinMaxType
{
    /// The element with the smallest raw value.
    public var min: Query<T.Element> { aggregate(.min) }
    /// The element with the largest raw value.
    public var max: Query<T.Element> { aggregate(.max) }
}

extension Query
where
    T: RealmCollection, T.Element: _QueryOptional, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: AddableType
{
    /// The average of the elements' raw values.
    public var avg: Query<T.Element.Wrapped.RawValue?> { aggregate(.average) }
    /// The sum of the elements' raw values.
    public var sum: Query<T.Element.Wrapped.RawValue?> { aggregate(.sum) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: MinMaxType {
    /// The value with the smallest raw value.
    public var min: Query<T.Value> { aggregate(.min) }
    /// The value with the largest raw value.
    public var max: Query<T.Value> { aggregate(.max) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: AddableType {
    /// The average of the raw values.
    public var avg: Query<T.Value.RawValue> { aggregate(.average) }
    /// The sum of the raw values.
    public var sum: Query<T.Value.RawValue> { aggregate(.sum) }
}

extension Query where T: PersistableEnum, T.RawValue: MinMaxType {
    /// The smallest raw value of a property of a collection's elements: `$0.dogs.size.min`. Traps for other properties.
    public var min: Query { aggregate(.min) }
    /// The largest raw value of a property of a collection's elements: `$0.dogs.size.max`. Traps for other properties.
    public var max: Query { aggregate(.max) }
}

extension Query where T: PersistableEnum, T.RawValue: AddableType {
    /// The average raw value of a property of a collection's elements. Traps for other properties.
    public var avg: Query<T.RawValue> { aggregate(.average) }
    /// The sum of the raw values of a property of a collection's elements. Traps for other properties.
    public var sum: Query<T.RawValue> { aggregate(.sum) }
}
