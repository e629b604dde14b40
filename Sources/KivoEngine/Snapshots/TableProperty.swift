/// A property of a table: the values of one column, or a map, which has a column of keys and a column of values.
///
///     columns      name        tags              tags.values
///     properties   name        tags: keys in the column 'tags', values in the column 'tags.values'
package struct TableProperty: Equatable, Sendable {
    /// The kind of contents of a property.
    package enum Kind: Sendable { case value, list, set, map }

    /// The stored name.
    package let name: String
    /// The kind of contents.
    package let kind: Kind
    /// The column of the value, of the elements, or of a map's keys.
    package let column: Int
    /// The column of a map's values; nil for other properties.
    package let valuesColumn: Int?
    /// The description of the values or elements.
    package let spec: ColumnSpec

    /// The columns: one, or those of a map's keys and values.
    package var columns: [Int] { valuesColumn.map { [column, $0] } ?? [column] }

    /// A Boolean value that indicates whether values can link to objects.
    package var leadsToOthers: Bool { spec.target != nil || spec.isAny }
}

extension ColumnSpec {
    /// The end of the name of a map's column of values.
    private static let valuesSuffix = ".values"

    /// Returns the name of the column of the values of a map.
    package static func valuesName(of property: String) -> String { property + valuesSuffix }

    /// The name of the column's property.
    package var propertyName: String {
        // By bytes: the last letter of a name may form one character with the dot.
        let (bytes, suffix) = (name.utf8, ColumnSpec.valuesSuffix.utf8)
        guard order == .values, bytes.suffix(suffix.count).elementsEqual(suffix) else { return name }
        return String(decoding: bytes.dropLast(suffix.count), as: UTF8.self)
    }
}

extension Sequence<ColumnSpec> {
    /// The properties that have the columns, in the order of these. A column of values without keys, as a damaged file may have it,
    /// belongs to no property. O(columns).
    package var properties: [TableProperty] {
        var values: [String: (column: Int, spec: ColumnSpec)] = [:]
        for (column, spec) in enumerated() where spec.order == .values {
            values[spec.propertyName] = (column, spec)
        }
        var properties: [TableProperty] = []
        for (column, spec) in enumerated() where spec.order != .values {
            let map = spec.order == .sorted ? values[spec.name] : nil
            let kind: TableProperty.Kind =
                spec.kind != .sequence ? .value : map != nil ? .map : spec.order == .sorted ? .set : .list
            properties.append(
                TableProperty(
                    name: spec.name, kind: kind, column: column, valuesColumn: map?.column,
                    spec: map?.spec ?? spec))
        }
        return properties
    }
}

extension Sequence<TableProperty> {
    /// Returns the property to which a column belongs, or nil.
    package func owner(ofColumn column: Int) -> TableProperty? {
        first { $0.column == column || $0.valuesColumn == column }
    }
}
