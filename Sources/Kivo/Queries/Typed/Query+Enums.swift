/// Comparisons of string enums as text, with strings that need not be a case. Comparisons with cases, and of enums with each
/// other, use the stored values.
extension Query where T: PersistableEnum, T.RawValue: _QueryBinary {
    /// Returns the condition that the raw value contains another value.
    public func contains(_ value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Returns the condition that the raw value begins with another value.
    public func starts(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Returns the condition that the raw value ends with another value.
    public func ends(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryString {
    /// Returns the condition that the raw value matches a pattern, in which `?` stands for any one character and `*` for any
    /// number of characters.
    public func like(_ pattern: T.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryBinary {
    /// Returns the condition that the raw value contains another value.
    public func contains(_ value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Returns the condition that the raw value begins with another value.
    public func starts(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Returns the condition that the raw value ends with another value.
    public func ends(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryString {
    /// Returns the condition that the raw value matches a pattern, in which `?` stands for any one character and `*` for any
    /// number of characters.
    public func like(_ pattern: T.Wrapped.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}
