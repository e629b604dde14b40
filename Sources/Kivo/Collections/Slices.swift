/// A live collection, of which slices can be taken. It can become shorter than a slice of it.
public protocol _SlicedCollection: RandomAccessCollection where Index == Int {}

extension _SlicedCollection {
    /// The number of positions from one to another. Traps if the collection does not reach as far, as when it has become shorter
    /// than a slice of it.
    public func distance(from start: Int, to end: Int) -> Int {
        checkPositions(start, end)
        return end - start
    }
    /// The position so many positions on.
    public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
    /// The position so many positions on, or nil if that is beyond a limit.
    public func index(_ index: Int, offsetBy distance: Int, limitedBy limit: Int) -> Int? {
        let isBeyond =
            distance < 0
            ? limit <= index && index + distance < limit : limit >= index && index + distance > limit
        return isBeyond ? nil : index + distance
    }
    /// The elements at a range of positions, as the collection has them when they are read. Traps if the collection does not reach
    /// as far.
    public subscript(bounds: Range<Int>) -> Slice<Self> {
        checkPositions(bounds.lowerBound, bounds.upperBound)
        return Slice(base: self, bounds: bounds)
    }

    /// Traps unless two positions are in the collection or at its end. The standard library would trap without words in release builds.
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
