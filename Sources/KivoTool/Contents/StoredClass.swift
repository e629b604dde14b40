import Kivo
import KivoEngine
import KivoSchemaDrawing

/// A class as a file stores it.
struct StoredClass {
    /// A property, which has one column, or two for a map.
    struct Property {
        var name: String
        /// The column of the value, of the elements, or of a map's keys.
        var column: Int
        /// The column of a map's values.
        var valuesColumn: Int?
        /// The specification of the values or elements.
        var spec: ColumnSpec
        var collection: SchemaOutline.Property.Collection?

        /// Returns the name of the type of values or elements in Swift. For objects it is the name of their class.
        func type(_ catalog: Catalog) -> String {
            if let target = spec.target { return catalog.tables[target].name }
            return Property.typeNames[spec.typeCode] ?? "type \(spec.typeCode)"
        }

        /// The names of types, by their codes in files.
        static let typeNames: [UInt8: String] = [
            ScalarType.bool.rawValue: "Bool", ScalarType.int8.rawValue: "Int8",
            ScalarType.int16.rawValue: "Int16", ScalarType.int32.rawValue: "Int32",
            ScalarType.int64.rawValue: "Int64", ScalarType.int.rawValue: "Int",
            ScalarType.float.rawValue: "Float", ScalarType.double.rawValue: "Double",
            ScalarType.string.rawValue: "String", ScalarType.data.rawValue: "Data",
            ScalarType.date.rawValue: "Date", ScalarType.uuid.rawValue: "UUID",
            ScalarType.objectId.rawValue: "ObjectId", ScalarType.decimal128.rawValue: "Decimal128",
            ScalarType.any.rawValue: "AnyRealmValue",
        ]
    }

    var table: TableID
    var name: String
    var isEmbedded: Bool
    /// The properties, in ascending order of their names.
    var properties: [Property]

    init(_ table: TableID, _ catalog: Catalog) {
        let spec = catalog.tables[table]
        self.table = table
        name = spec.name
        isEmbedded = spec.isEmbedded
        properties = spec.columns.enumerated().filter { $0.element.order != .values }.map { column, own in
            let values = spec.columns.firstIndex { $0.order == .values && $0.name == own.name + ".values" }
            let collection: SchemaOutline.Property.Collection? =
                own.kind != .sequence ? nil : values != nil ? .map : own.order == .sorted ? .set : .list
            return Property(
                name: own.name, column: column, valuesColumn: values,
                spec: values.map { spec.columns[$0] } ?? own,
                collection: collection)
        }
    }

    /// Returns the classes of a file in ascending order of their names, without internal tables.
    static func all(_ catalog: Catalog) -> [StoredClass] {
        catalog.tables.indices.filter {
            let table = catalog.tables[$0]
            return !table.isDerived && table.isDefined && table.container == nil
        }.map { StoredClass($0, catalog) }.sorted {
            Array($0.name.utf8).lexicographicallyPrecedes($1.name.utf8)
        }
    }

    /// Returns the property to which a column belongs.
    func property(column: Int) -> Property? {
        properties.first { $0.column == column || $0.valuesColumn == column }
    }
}

extension SchemaOutline {
    /// Creates an outline of the classes of a file.
    init(_ catalog: Catalog) {
        self.init(
            StoredClass.all(catalog).map { some in
                Class(
                    some.name, isEmbedded: some.isEmbedded,
                    some.properties.map { property in
                        let isLink = property.spec.target != nil
                        // Objects in lists and sets are never nil; those in maps may be.
                        let isOptional =
                            isLink
                            ? property.collection == nil || property.collection == .map
                            : property.spec.isOptional && property.spec.typeCode != ScalarType.any.rawValue
                        return Property(
                            property.name, type: property.type(catalog), isOptional: isOptional,
                            target: property.spec.target.map { catalog.tables[$0].name },
                            collection: property.collection, isPrimaryKey: property.spec.isPrimaryKey,
                            isIndexed: property.spec.isIndexed)
                    })
            })
    }
}
