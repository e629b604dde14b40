/// The columns of a map and the key that is looked up in it.
public struct MapEntry: Sendable, Equatable {
    /// The column of the keys, ascending.
    public var keys: Int
    /// The column of the values, in the order of their keys.
    public var values: Int
    /// The key that is looked up.
    public var key: Cell

    /// A key of a map.
    public init(keys: Int, values: Int, key: Cell) {
        self.keys = keys
        self.values = values
        self.key = key
    }

    /// The value for the key in a row's map; nil if it is not there.
    func cell(_ row: Row, _ element: ElementKind) -> Cell? {
        let (position, isEqual) = row.sequence(keys, .string).lowerBound(key)
        return isEqual ? row.sequence(values, element).cell(at: position) : nil
    }
}

extension Row {
    /// The sequence in a column.
    func sequence(_ column: Int, _ element: ElementKind) -> PersistentSequence {
        leaf.column(column).sequence(slot, element)
    }
}
