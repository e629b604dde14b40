import Foundation

extension Projected {
    /// The value of a column of the root's row: nil if the address of the row is stale, there is no row, or values of the
    /// type are not loaded directly.
    ///
    /// A key path costs ten times what a load does, even if it is of a single property. The type is compared with those that
    /// can be loaded: where it is known, which it is in the accessors of a property, nothing is left of that but the load.
    @inlinable @inline(__always)
    static func load(_ root: T, _ column: Int) -> Value? {
        guard let columns = root.kivoRow.columns,
            root.kivoRow.generation == root.kivoRow.reader.unsafelyUnwrapped.pointee
        else { return nil }
        root.kivoCheckRead()
        let (data, slot) = (columns[column], root.kivoRow.slot)
        if Value.self == Int.self { return cast(Int._load(data, slot)) }
        if Value.self == String.self { return cast(String._load(data, slot)) }
        if Value.self == Double.self { return cast(Double._load(data, slot)) }
        if Value.self == Bool.self { return cast(Bool._load(data, slot)) }
        if Value.self == Date.self { return cast(Date._load(data, slot)) }
        if Value.self == Int64.self { return cast(Int64._load(data, slot)) }
        if Value.self == Int32.self { return cast(Int32._load(data, slot)) }
        if Value.self == UUID.self { return cast(UUID._load(data, slot)) }
        if Value.self == Int?.self { return cast(Int?._load(data, slot)) }
        if Value.self == String?.self { return cast(String?._load(data, slot)) }
        if Value.self == Double?.self { return cast(Double?._load(data, slot)) }
        if Value.self == Bool?.self { return cast(Bool?._load(data, slot)) }
        if Value.self == Date?.self { return cast(Date?._load(data, slot)) }
        return nil
    }

    /// A value of what was found to be the same type.
    @inlinable @inline(__always)
    static func cast<Loaded>(_ value: Loaded) -> Value { unsafeBitCast(value, to: Value.self) }
}
