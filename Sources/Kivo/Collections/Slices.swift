/// A live collection with slices. It can become shorter than a slice of it.
public protocol _SlicedCollection: RandomAccessCollection where Index == Int {}

extension _SlicedCollection {
    /// Returns the number of positions from one to another.
    ///
    /// - Complexity: That of `endIndex`.
    /// - Precondition: Neither position is beyond the end. The collection may have become shorter than a slice of it.
    public func distance(from start: Int, to end: Int) -> Int {
        checkPositions(start, end)
        return end - start
    }
    /// Returns the position at a distance from another.
    ///
    /// - Complexity: O(1).
    public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
    /// Returns the position at a distance from another, or nil if it is beyond a limit.
    ///
    /// - Complexity: O(1).
    public func index(_ index: Int, offsetBy distance: Int, limitedBy limit: Int) -> Int? {
        let isBeyond =
            distance < 0
            ? limit <= index && index + distance < limit : limit >= index && index + distance > limit
        return isBeyond ? nil : index + distance
    }
    /// Accesses the elements at a range of positions. A slice reads the current elements of the collection.
    ///
    /// - Complexity: That of `endIndex`.
    /// - Precondition: The range is in 0 ... count.
    public subscript(bounds: Range<Int>) -> Slice<Self> {
        checkPositions(bounds.lowerBound, bounds.upperBound)
        return Slice(base: self, bounds: bounds)
    }

    /// Traps unless two positions are in the collection or at its end. The standard library would trap without a message in
    /// release builds.
    private func checkPositions(_ a: Int, _ b: Int) {
        let end = endIndex
        let outside = a < 0 || a > end ? a : b
        if outside >= 0, outside <= end { return }
        trap(
            """
            Position \(outside) is outside of '\(Self.self)' of \(end) elements: a slice reads its collection, which may \
            have become shorter. Make an Array of the slice to keep its elements.
            """)
    }
}
