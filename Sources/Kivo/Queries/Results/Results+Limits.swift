extension Results {
    /// Returns live results with at most a number of elements: the first ones.
    ///
    ///     let newest = orders.sorted(byKeyPath: "date", ascending: false).first(100)
    ///     let token = newest.observe { change in … }
    ///
    /// The results are as long as there are elements, up to that number. Elements that come before others move these out of the
    /// results, which then count as deleted, and elements that leave make room for those behind.
    ///
    /// - Complexity: O(1) to create. The first read costs O(log n) for each element of a whole class, and otherwise as much as that of all
    ///   elements; so does each read after a change inside of a write transaction. While the results are observed, all elements are kept in
    ///   order, and a change of c of n elements costs O(c log n); for a live number of them it is folded from all in the results.
    /// - Precondition: The number is not negative. Conditions, orders, sections and `distinct(by:)` precede this: the
    ///   returned results take none.
    public func first(_ maxLength: Int) -> Results<Element> { Results(state.prefix(maxLength)) }

    /// Returns the first elements, up to a number, or all if that is nil.
    func limited(to limit: Int?) -> Results<Element> { limit.map { first($0) } ?? self }

    /// Returns live results without a number of first elements.
    ///
    ///     let second = orders.dropFirst(100).first(100)
    ///
    /// Positions begin with 0, unlike those of the slice that other collections return here, and that an annotation asks for:
    /// `let rest: Slice<Results<Order>> = orders.dropFirst(1)`. Without a number, `orders.dropFirst()` returns the slice, too.
    ///
    /// - Complexity: See ``first(_:)``.
    /// - Precondition: See ``first(_:)``.
    public func dropFirst(_ count: Int) -> Results<Element> { Results(state.dropping(count)) }
}
