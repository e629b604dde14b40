/// Of values of any type, the least and the greatest are those as results are sorted by them, of all that is neither nil nor an
/// object or a collection. Of sums and averages, which are decimals, the numbers count.
extension RealmCollection {
    /// The least of the values of a property, or nil if there is none. O(n).
    public func min(ofProperty property: String) -> AnyRealmValue? { aggregate(.min, property) }

    /// The greatest of the values of a property, or nil if there is none. O(n).
    public func max(ofProperty property: String) -> AnyRealmValue? { aggregate(.max, property) }

    /// The sum of the numbers among the values of a property, 0 if there are none. O(n).
    public func sum(ofProperty property: String) -> AnyRealmValue { aggregate(.sum, property)! }
}

extension RealmCollection where Element == AnyRealmValue {
    /// The average of the numbers, or nil if there are none. O(n).
    public func average() -> AnyRealmValue? { aggregate(.average) }
}
