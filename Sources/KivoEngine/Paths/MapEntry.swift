/// The columns of a map and a key to look up.
package struct MapEntry: Sendable, Equatable {
    /// The column of the keys, which ascend.
    package var keys: Int
    /// The column of the values, in the order of their keys.
    package var values: Int
    /// The key that is looked up.
    package var key: Cell

    /// Creates a lookup of a key in a map.
    package init(keys: Int, values: Int, key: Cell) {
        self.keys = keys
        self.values = values
        self.key = key
    }

    /// Returns the value for the key in a row's map, or nil if the map has no such key.
    func cell(_ row: Row, _ element: ElementKind) -> Cell? {
        let (position, isEqual) = row.sequence(keys, .string).lowerBound(key)
        return isEqual ? row.sequence(values, element).cell(at: position) : nil
    }
}

extension Row {
    /// Returns the sequence in a column.
    func sequence(_ column: Int, _ element: ElementKind) -> PersistentSequence {
        leaf.column(column).sequence(slot, element)
    }
}
