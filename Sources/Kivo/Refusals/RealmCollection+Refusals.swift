/// What the compiler says where results are wanted and a block can only make an array.
///
/// `filter` and `sorted` with a block are those of the standard library, which go on to work: these are chosen where nothing
/// else fits.
extension RealmCollection {
    /// Unavailable: a block makes an array, or a lazy sequence, and no results.
    @available(
        *, unavailable,
        message:
            "a block of Bool makes no results: write the condition as 'where { $0.age > 3 }' or 'filter(\"age > 3\")'"
    )
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Results<Element> {
        trap("unavailable")
    }

    /// Unavailable: a block makes an array, and no results.
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
