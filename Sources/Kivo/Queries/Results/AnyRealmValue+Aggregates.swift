/// Aggregates of values of any type. The least and the greatest value are by the order in which results are sorted; nil, objects
/// and collections are ignored. Sums and averages are decimals, and include only numbers.
extension RealmCollection {
    /// Returns the least of the values of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min(ofProperty property: String) -> AnyRealmValue? { aggregate(.min, property) }

    /// Returns the greatest of the values of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max(ofProperty property: String) -> AnyRealmValue? { aggregate(.max, property) }

    /// Returns the sum of the numbers among the values of a property, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    public func sum(ofProperty property: String) -> AnyRealmValue { aggregate(.sum, property)! }
}

extension RealmCollection where Element == AnyRealmValue {
    /// Returns the average of the numbers, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average() -> AnyRealmValue? { aggregate(.average) }
}
