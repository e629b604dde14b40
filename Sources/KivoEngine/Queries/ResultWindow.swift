/// The elements of a result that a query keeps by their positions: all after some that are skipped, or a number of these.
package struct ResultWindow: Sendable, Equatable {
    /// The number of elements before the window.
    private var skipped = 0
    /// The largest number of elements in the window.
    private var limit = Int.max

    /// Creates the window that has all elements.
    package init() {}

    /// Returns the window of the first elements of this one.
    package func prefix(_ maxLength: Int) -> ResultWindow {
        var window = self
        window.limit = min(limit, maxLength)
        return window
    }

    /// Returns the window without the first elements of this one.
    package func dropping(_ count: Int) -> ResultWindow {
        var window = self
        window.skipped = ResultWindow.sum(skipped, count)
        if limit < .max { window.limit = max(0, limit - count) }
        return window
    }

    /// The sum of two numbers that are not negative, or the largest one.
    private static func sum(_ a: Int, _ b: Int) -> Int { a > .max - b ? .max : a + b }

    /// Returns the positions of the window's elements in a result of a number of elements.
    package func range(of count: Int) -> Range<Int> {
        let lower = min(skipped, count)
        return lower..<min(ResultWindow.sum(lower, limit), count)
    }

    /// Whether the first element of the result is in the window, if there is one.
    var hasFirst: Bool { skipped == 0 && limit > 0 }
}
