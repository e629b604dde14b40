/// The columns of a map and a key to look up.
public struct MapEntry: Sendable, Equatable {
    /// The column of the keys, which ascend.
    public var keys: Int
    /// The column of the values, in the order of their keys.
    public var values: Int
    /// The key that is looked up.
    public var key: Cell

    /// Creates a lookup of a key in a map.
    public init(keys: Int, values: Int, key: Cell) {
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
