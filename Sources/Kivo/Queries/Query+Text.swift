import Foundation

/// Comparing strings and data as text; of enums and mapped types, what is stored.
///
/// A property without a value contains nothing, begins and ends with nothing, is like nothing and equals only nil.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Whether the value contains another.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether the value contains that of another property.
    public func contains<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.contains, column, options)
    }

    /// Whether the value begins with another.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether the value begins with that of another property.
    public func starts<U: _HasPersistedType>(with column: Query<U>, options: StringOptions = []) -> Query<
        Bool
    >
    where U.PersistedType: _QueryBinary {
        compared(.beginsWith, column, options)
    }

    /// Whether the value ends with another.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Whether the value ends with that of another property.
    public func ends<U: _HasPersistedType>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.endsWith, column, options)
    }

    /// Whether the value equals another, by the options; for an optional one, nil asks whether there is no value.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options)
    }

    /// Whether the value equals that of another property, by the options.
    public func equals<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.equal, column, options)
    }

    /// Whether the value differs from another, by the options; for an optional one, nil asks whether there is a value.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }

    /// Whether the value differs from that of another property, by the options.
    public func notEquals<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<
        Bool
    >
    where U.PersistedType: _QueryBinary {
        compared(.notEqual, column, options)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Whether the string is like a pattern, in which `?` stands for any one character and `*` for any number of them.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the string is like the pattern that another property holds.
    public func like<U: _HasPersistedType>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool>
    where U.PersistedType: _QueryString {
        compared(.like, column, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: _QueryString {
    /// Whether the string matches a regular expression, as a whole, one Unicode scalar after the other. The pattern is
    /// written as for `Regex`. Traps if it is malformed.
    ///
    /// - Parameters:
    ///   - pattern: the regular expression.
    ///   - options: with ``StringOptions/diacriticInsensitive`` the letters of the pattern are without marks too.
    public func matches(_ pattern: String, options: StringOptions = []) -> Query<Bool> {
        do {
            return compared(.matches, try RegularExpression(pattern, options), options)
        } catch {
            trap("The pattern '\(pattern)' is no regular expression: \(error).")
        }
    }
}

/// A string or data, or an optional one, in a query.
public protocol _QueryBinary: _HasPersistedType where PersistedType: _QueryBinary {}

/// A string, or an optional one, in a query.
public protocol _QueryString: _QueryBinary where PersistedType: _QueryString {}

extension String: _QueryString {}
extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}
