/// The positions of retained elements on both sides of a change. Retained elements keep their order, so that the positions of the
/// others determine theirs.
package enum RetainedPositions {
    /// Returns the position of a retained element on the other side of a change, or nil if the element exists only on this side.
    /// O(log n) in the number of removed and inserted elements.
    ///
    /// - Parameters:
    ///   - here: the positions of elements that exist only on this side, ascending.
    ///   - there: the positions of elements that exist only on the other side, ascending.
    package static func position(_ position: Int, without here: [Int], with there: [Int]) -> Int? {
        let before = here.partitionPoint { $0 < position }
        if before < here.count, here[before] == position { return nil }
        let kept = position - before
        return kept + there.indices.partitionPoint { there[$0] - $0 <= kept }
    }

    /// Returns the positions of retained elements on the other side, in the same order. Skips elements that exist only on this
    /// side. O(k log n) for k positions.
    package static func positions(_ positions: [Int], without here: [Int], with there: [Int]) -> [Int] {
        if here.isEmpty, there.isEmpty { return positions }
        return positions.compactMap { position($0, without: here, with: there) }
    }
}
