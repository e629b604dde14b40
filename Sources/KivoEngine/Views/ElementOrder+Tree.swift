/// An element and where it is, or was, in an ``OrderTree``.
struct PlacedElement {
    var position: Int
    var token: Int64
}

extension ElementOrder {
    /// Elements in this order.
    func sorted(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) -> [Ranked] {
        var entries = tokens.map { ranked($0, elements, snapshot) }
        // What comes from the source is in its order.
        if !keys.isEmpty { entries.sort { compare($0, $1, elements, snapshot) < 0 } }
        return entries
    }

    /// The places of elements that are in a tree, ascending.
    func places(
        of tokens: [Int64], in tree: OrderTree, _ elements: Elements, _ snapshot: Snapshot
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

    /// Puts an element where it belongs; answers its position.
    @discardableResult
    func insert(
        _ token: Int64, into tree: OrderTree, _ elements: Elements, _ snapshot: Snapshot
    ) -> Int {
        let entry = ranked(token, elements, snapshot)
        let position = tree.partitionPoint { compare($0, entry, elements, snapshot) <= 0 }
        tree.insert(entry, at: position)
        return position
    }
}
