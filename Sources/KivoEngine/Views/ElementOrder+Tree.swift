/// An element and its current or former position in an ``OrderTree``.
struct PositionedToken {
    var position: Int
    var token: Int64
}

extension ElementOrder {
    /// Returns elements in this order.
    ///
    /// - Parameter areInSourceOrder: whether the tokens are in the order of the source. Without sort keys, that is the result.
    func sorted(
        _ tokens: [Int64], areInSourceOrder: Bool = false, _ elements: Elements, _ snapshot: Snapshot
    ) -> [Ranked] {
        // A change inserts few elements, for which it is not worth preparing anything.
        if !keys.isEmpty, tokens.count > 16 {
            return sorted(tokens, keepsTies: areInSourceOrder, elements, snapshot)
        }
        var entries = tokens.map { ranked($0, elements, snapshot) }
        if !areInSourceOrder || !keys.isEmpty { entries.sort { compare($0, $1, elements, snapshot) < 0 } }
        return entries
    }

    /// Removes elements from a tree. Returns their former positions, ascending.
    @discardableResult
    func remove(
        _ tokens: [Int64], from tree: inout OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> [PositionedToken] {
        let positioned = positioned(tokens, in: tree, elements, snapshot)
        for element in positioned.reversed() { tree.remove(at: element.position) }
        return positioned
    }

    private func positioned(
        _ tokens: [Int64], in tree: borrowing OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> [PositionedToken] {
        var positioned = tokens.map { token in
            let entry = ranked(token, elements, snapshot)
            let position = tree.partitionPoint { compare($0, entry, elements, snapshot) < 0 }
            precondition(
                position < tree.count && tree[position].token == token, "an element is not where it belongs")
            return PositionedToken(position: position, token: token)
        }
        positioned.sort { $0.position < $1.position }
        // If an origin refers to its target several times, its occurrences are adjacent.
        for index in positioned.indices.dropFirst()
        where positioned[index].position <= positioned[index - 1].position {
            positioned[index].position = positioned[index - 1].position + 1
        }
        return positioned
    }

    /// Inserts an element at its position in the order. Returns its position.
    @discardableResult
    func insert(
        _ entry: Ranked, into tree: inout OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> Int {
        let position = tree.partitionPoint { compare($0, entry, elements, snapshot) <= 0 }
        tree.insert(entry, at: position)
        return position
    }
}
