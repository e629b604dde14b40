/// Of values of any type, the numbers count; sums and averages are decimals.
extension RealmCollection {
    /// The least number among the values of a property, or nil if there is none. O(n).
    public func min(ofProperty property: String) -> AnyRealmValue? { aggregate(.min, property) }

    /// The greatest number among the values of a property, or nil if there is none. O(n).
    public func max(ofProperty property: String) -> AnyRealmValue? { aggregate(.max, property) }

    /// The sum of the numbers among the values of a property, 0 if there are none. O(n).
    public func sum(ofProperty property: String) -> AnyRealmValue { aggregate(.sum, property)! }
}

extension RealmCollection where Element == AnyRealmValue {
    /// The average of the numbers, or nil if there are none. O(n).
    public func average() -> AnyRealmValue? { aggregate(.average) }
}
