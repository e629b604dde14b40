import Kivo

/// A predicate string with its arguments, as a filter of `@ObservedResults` and `@ObservedSectionedResults`.
///
///     @ObservedResults(Dog.self, filter: "age > 3") var dogs
///     $dogs.filter = PredicateString("name BEGINSWITH[c] %@", text)
///
/// It replaces realm-swift's `NSPredicate`, which most platforms cannot parse. The language is that of
/// `RealmCollection.filter(_:_:)`.
public struct PredicateString: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The predicate string, with placeholders for the arguments.
    public let description: String
    package let condition: QueryCondition

    /// Creates a predicate string with arguments for its placeholders.
    ///
    /// - Precondition: The string is well-formed.
    public init(_ format: String, _ arguments: Any...) {
        description = format
        condition = QueryCondition(format, arguments: arguments)
    }

    /// Creates a predicate string without arguments.
    ///
    /// - Precondition: The string is well-formed.
    public init(stringLiteral value: String) { self.init(value) }
}
