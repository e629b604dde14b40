/// Comparing string enums as text with strings that need not be a case. With cases, and with each other, they compare as what is
/// stored does.
extension Query where T: PersistableEnum, T.RawValue: _QueryBinary {
    /// Whether the raw value contains another value.
    public func contains(_ value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether the raw value begins with another value.
    public func starts(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether the raw value ends with another value.
    public func ends(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryString {
    /// Whether the raw value is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ pattern: T.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryBinary {
    /// Whether the raw value contains another value.
    public func contains(_ value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether the raw value begins with another value.
    public func starts(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether the raw value ends with another value.
    public func ends(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryString {
    /// Whether the raw value is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ pattern: T.Wrapped.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}
