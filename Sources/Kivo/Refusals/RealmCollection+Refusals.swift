/// Compiler messages for code that expects results where a block can only produce an array.
///
/// `filter` and `sorted` with a block are those of the standard library, which still work. The compiler chooses these
/// declarations only if no other one fits.
extension RealmCollection {
    /// Unavailable: a block produces an array or a lazy sequence, not results.
    @available(
        *, unavailable,
        message:
            "a block of Bool makes no results: write the condition as 'where { $0.age > 3 }' or 'filter(\"age > 3\")'"
    )
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Results<Element> {
        trap("unavailable")
    }

    /// Unavailable: a block produces an array, not results.
    @available(
        *, unavailable,
        message:
            "a block makes no results: write the order as 'sorted(by: \\.age)' or 'sorted(byKeyPath: \"age\")'"
    )
    public func sorted(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows -> Results<
        Element
    > {
        trap("unavailable")
    }
}

extension Query<String> {
    /// Unavailable: see ``starts(with:options:)``.
    @available(*, unavailable, message: "write 'starts(with:)'")
    public func hasPrefix(_ prefix: String) -> Query<Bool> { trap("unavailable") }

    /// Unavailable: see ``ends(with:options:)``.
    @available(*, unavailable, message: "write 'ends(with:)'")
    public func hasSuffix(_ suffix: String) -> Query<Bool> { trap("unavailable") }

    /// Unavailable: comparisons have options.
    @available(
        *, unavailable,
        message: "write 'equals(_:options: .caseInsensitive)' or another comparison with options"
    )
    public func lowercased() -> Query<String> { trap("unavailable") }

    /// Unavailable: comparisons have options.
    @available(
        *, unavailable,
        message: "write 'equals(_:options: .caseInsensitive)' or another comparison with options"
    )
    public func uppercased() -> Query<String> { trap("unavailable") }
}
