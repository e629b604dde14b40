/// A key to sort by: a key path, or `"self"` for collections of plain values.
public struct SortDescriptor: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The key path, through to-one links only.
    public let keyPath: String
    /// A Boolean value that indicates whether the order is ascending.
    public let ascending: Bool

    /// Creates a sort key from the name of a key path.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Creates a sort key from a typed key path.
    ///
    /// - Precondition: The key path passes only through persisted properties.
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// Creates an ascending sort key from the name of a key path.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// The key path and the direction, in words.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }

    /// Returns the sort key with the opposite direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }
}
