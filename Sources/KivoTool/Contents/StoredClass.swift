import Kivo
import KivoEngine
import KivoSchemaDrawing

/// A class as a file stores it.
struct StoredClass: Sendable {
    /// A property, which has one column, or two for a map.
    struct Property: Sendable {
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
            return ScalarType(rawValue: spec.typeCode)?.name ?? "type \(spec.typeCode)"
        }

        /// Whether values can link to other objects.
        var leadsToOthers: Bool { spec.target != nil || spec.isAny }

        /// Whether this version knows how the type of the values or elements is stored.
        var isKnown: Bool {
            if spec.target != nil { return true }
            guard let kind = ScalarType(rawValue: spec.typeCode)?.columnKind else { return false }
            return spec.element.map { $0 == ElementKind(kind, isOptional: spec.isOptional) }
                ?? (spec.kind == kind)
        }
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
