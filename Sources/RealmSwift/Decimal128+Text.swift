import Kivo

extension Decimal128 {
    /// Parses a number, like Kivo's initialiser of this name, which throws an error for a text that is not a number.
    ///
    /// This initialiser follows realm-swift, in which a text that is not a number is NaN. Since version 20 its declaration does not
    /// throw; sources that were written for version 10 can keep their `try`.
    ///
    /// - Complexity: O(n) in the length of the text.
    public init(string: String) { self = Decimal128.parse(string.utf8) ?? .nan }
}
