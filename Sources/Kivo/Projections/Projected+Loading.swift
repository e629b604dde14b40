import Foundation
import KivoEngine

extension Projected {
    /// Returns the value of a column of the root's row. Returns nil if the row's address is stale, if there is no row, or if
    /// values of the type cannot be loaded directly.
    ///
    /// Reading through a key path costs ten times as much as a load, even for a single property. `Value` is compared with the
    /// types that can be loaded. Where it is known, as in the accessors of a property, the compiler reduces the comparisons to
    /// the load.
    @inlinable @inline(__always)
    static func load(_ root: T, _ column: Int) -> Value? {
        guard let columns = root.kivoRow.columns,
            root.kivoRow.isCurrent
        else { return nil }
        root.kivoCheckRead()
        let (data, slot) = (columns[column], root.kivoRow.slot)
        if Value.self == Int.self { return cast(Int.load(data, slot)) }
        if Value.self == String.self { return cast(String.load(data, slot)) }
        if Value.self == Double.self { return cast(Double.load(data, slot)) }
        if Value.self == Bool.self { return cast(Bool.load(data, slot)) }
        if Value.self == Date.self { return cast(Date.load(data, slot)) }
        if Value.self == Int64.self { return cast(Int64.load(data, slot)) }
        if Value.self == Int32.self { return cast(Int32.load(data, slot)) }
        if Value.self == UUID.self { return cast(UUID.load(data, slot)) }
        if Value.self == Int?.self { return cast(Int?.load(data, slot)) }
        if Value.self == String?.self { return cast(String?.load(data, slot)) }
        if Value.self == Double?.self { return cast(Double?.load(data, slot)) }
        if Value.self == Bool?.self { return cast(Bool?.load(data, slot)) }
        if Value.self == Date?.self { return cast(Date?.load(data, slot)) }
        return nil
    }

    /// Casts a value whose type has been found to be `Value`.
    @inlinable @inline(__always)
    static func cast<Loaded>(_ value: Loaded) -> Value { unsafeBitCast(value, to: Value.self) }
}
