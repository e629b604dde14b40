import Foundation

/// Comparisons of strings and data as text; enums and mapped types are compared by their stored values.
///
/// A property without a value contains nothing, begins and ends with nothing, matches no pattern and equals only nil.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Returns the condition that the value contains another value.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Returns the condition that the value contains the value of another property.
    public func contains<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.contains, column, options)
    }

    /// Returns the condition that the value begins with another value.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Returns the condition that the value begins with the value of another property.
    public func starts<U: _HasPersistedType>(with column: Query<U>, options: StringOptions = []) -> Query<
        Bool
    >
    where U.PersistedType: _QueryBinary {
        compared(.beginsWith, column, options)
    }

    /// Returns the condition that the value ends with another value.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Returns the condition that the value ends with the value of another property.
    public func ends<U: _HasPersistedType>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.endsWith, column, options)
    }

    /// Returns the condition that the value equals another value, with these options. For an optional property, nil means that
    /// there is no value.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options)
    }

    /// Returns the condition that the value equals the value of another property, with these options.
    public func equals<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.equal, column, options)
    }

    /// Returns the condition that the value differs from another value, with these options. For an optional property, nil means
    /// that there is a value.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }

    /// Returns the condition that the value differs from the value of another property, with these options.
    public func notEquals<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<
        Bool
    >
    where U.PersistedType: _QueryBinary {
        compared(.notEqual, column, options)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Returns the condition that the string matches a pattern, in which `?` stands for any one character and `*` for any number
    /// of characters.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value, caseInsensitive ? .caseInsensitive : [])
    }

    /// Returns the condition that the string matches the pattern in another property.
    public func like<U: _HasPersistedType>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool>
    where U.PersistedType: _QueryString {
        compared(.like, column, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: _QueryString {
    /// Returns the condition that the whole string matches a regular expression, by Unicode scalars. The pattern has the syntax
    /// of `Regex`.
    ///
    /// - Parameters:
    ///   - pattern: the regular expression.
    ///   - options: with ``StringOptions/diacriticInsensitive``, marks are removed from the letters of the pattern too.
    /// - Precondition: The pattern is well-formed.
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
