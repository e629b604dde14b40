/// An element and where it is, or was, in an ``OrderTree``.
struct PlacedElement {
    var position: Int
    var token: Int64
}

extension ElementOrder {
    /// Elements in this order.
    ///
    /// - Parameter areInSourceOrder: whether they come as the source has them, which is the order if there are no keys.
    func sorted(
        _ tokens: [Int64], areInSourceOrder: Bool = false, _ elements: Elements, _ snapshot: Snapshot
    ) -> [Ranked] {
        var entries = tokens.map { ranked($0, elements, snapshot) }
        if !areInSourceOrder || !keys.isEmpty { entries.sort { compare($0, $1, elements, snapshot) < 0 } }
        return entries
    }

    /// Takes elements out of a tree; returns where they were, ascending.
    @discardableResult
    func remove(
        _ tokens: [Int64], from tree: inout OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> [PlacedElement] {
        let places = places(of: tokens, in: tree, elements, snapshot)
        for place in places.reversed() { tree.remove(at: place.position) }
        return places
    }

    private func places(
        of tokens: [Int64], in tree: borrowing OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> [PlacedElement] {
        var places = tokens.map { token in
            let entry = ranked(token, elements, snapshot)
            let position = tree.partitionPoint { compare($0, entry, elements, snapshot) < 0 }
            precondition(
                position < tree.count && tree[position].token == token, "an element is not where it belongs")
            return PlacedElement(position: position, token: token)
        }
        places.sort { $0.position < $1.position }
        // An origin that refers to its target several times is there as often, side by side.
        for index in places.indices.dropFirst() where places[index].position <= places[index - 1].position {
            places[index].position = places[index - 1].position + 1
        }
        return places
    }

    /// Puts an element where it belongs; returns its position.
    @discardableResult
    func insert(
        _ entry: Ranked, into tree: inout OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> Int {
        let position = tree.partitionPoint { compare($0, entry, elements, snapshot) <= 0 }
        tree.insert(entry, at: position)
        return position
    }
}
