/// A key to sort by: a key path, or `"self"` for collections of plain values.
public struct SortDescriptor: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The key path, through to-one links only.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool

    /// A key of a key path by name.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// A key of a typed key path. Traps if it passes through something that is not persisted.
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// An ascending key of a key path by name.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// The key path and the direction, in words.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }

    /// The key in the other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }
}
