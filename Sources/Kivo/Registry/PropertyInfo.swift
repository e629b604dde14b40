import KivoEngine

/// One persisted property of a class.
///
/// Immutable; the metatype is that of a wrapper, whose conformance is not isolated to any actor.
final class PropertyInfo: @unchecked Sendable {
    let name: String
    /// The name of the column, which is that of the property unless the class defines another.
    let columnName: String
    /// The property's column. Maps have a second one for their values; linking objects have a number but no column.
    let column: Int
    let type: DeclaredType
    let isPrimaryKey: Bool
    let isIndexed: Bool
    let wrapper: any AnyPersisted.Type
    /// Bytes from the start of an object to the wrapper.
    let offset: Int
    /// The column of a map's values.
    let valuesColumn: Int?
    /// The column's layout.
    let columnKind: ColumnKind
    /// The column in the form that wrappers of managed objects store.
    let boundColumn: UInt32
    /// Whether values are of an enum or of a mapped type, so that access by name returns the stored value.
    let isConverted: Bool
    /// Whether a write to a new object is only a store: the property has no index, its values need no conversion, and no object
    /// of the property has to become that of the row.
    let isDirect: Bool
    /// The table of linked objects, for a class that was created from its table.
    let targetTable: TableID?

    init(
        _ located: WrapperLocator.LocatedProperty, column: Int, columnName: String, valuesColumn: Int?,
        targetTable: TableID? = nil
    ) {
        name = located.name
        self.columnName = columnName
        self.targetTable = targetTable
        isOwning = located.isOwning
        self.column = column
        type = located.type
        isLinking = located.type.target != nil
        isPrimaryKey = located.declaration & PersistedColumn.primary != 0
        isIndexed = located.declaration & PersistedColumn.indexed != 0
        wrapper = located.wrapper
        offset = located.offset
        self.valuesColumn = valuesColumn
        let isStore =
            type.collection == .none && type.scalar != nil && type.scalar != .any && !isPrimaryKey
            && !isIndexed
        isConverted = wrapper.isConverted
        columnKind = type.collection == .none ? type.scalar?.columnKind ?? .link : .sequence
        boundColumn = UInt32(column) | (isStore ? 0 : PersistedColumn.maintained)
        isDirect = isStore && !isConverted && !wrapper.isCached
    }

    /// Whether the property has a column.
    var isStored: Bool { type.collection != .linkingObjects }
    /// Whether values or elements are objects.
    let isLinking: Bool
    var isLink: Bool { type.scalar == nil && type.collection == .none }
    /// Whether links of the property own their targets.
    let isOwning: Bool

    /// Whether elements can own rows, which are deleted with them: embedded objects, and lists and dictionaries as values of any
    /// type.
    var endsRows: Bool { isOwning || type.scalar == .any }

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque() + offset
    }
}

/// One ignored property of a class.
///
/// Immutable; the metatype is that of a wrapper, whose conformance is not isolated to any actor.
final class IgnoredPropertyInfo: @unchecked Sendable {
    let name: String
    /// The property's number, greater than all columns.
    let column: Int
    let wrapper: any AnyIgnored.Type
    /// Bytes from the start of an object to the wrapper.
    let offset: Int

    init(_ name: String, _ column: Int, _ wrapper: any AnyIgnored.Type, _ offset: Int) {
        self.name = name
        self.column = column
        self.wrapper = wrapper
        self.offset = offset
    }

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque() + offset
    }
}

/// A type-erased ``Ignored`` wrapper.
///
/// The static functions take the address of a wrapper inside of an object. The object owns the memory, which is valid as long as
/// the object exists.
protocol AnyIgnored: LocatedWrapper {
    static var valueType: Any.Type { get }
    static var target: ObjectBase.Type? { get }
    static func value(_ address: UnsafeMutableRawPointer) -> Any?
    /// Returns whether a value is of the property's type.
    static func takes(_ any: Any?) -> Bool
    static func setValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool
}
