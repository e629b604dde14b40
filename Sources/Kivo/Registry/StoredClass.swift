import KivoEngine

/// A class as a catalog describes it, without its declaration in the program.
package struct StoredClass: Sendable {
    package let table: TableID
    package let name: String
    /// Whether each object is owned by one link.
    package let isEmbedded: Bool
    /// The properties, in ascending order of their names.
    package let properties: [TableProperty]
    /// The properties whose types this version of Kivo knows.
    let knownProperties: [TableProperty]
    /// The primary key; nil if there is none, or if this version of Kivo does not know its type.
    package let primaryKey: TableProperty?

    package init(_ table: TableID, _ catalog: Catalog) {
        let spec = catalog.tables[table]
        self.table = table
        (name, isEmbedded, properties) = (spec.name, spec.isEmbedded, spec.properties)
        knownProperties = properties.filter(\.isKnown)
        primaryKey = knownProperties.first(where: \.spec.isPrimaryKey)
    }

    /// Returns the classes of a catalog in ascending order of their names, without internal tables.
    package static func all(_ catalog: Catalog) -> [StoredClass] {
        catalog.tables.indices.filter { catalog.tables[$0].isClass }.map { StoredClass($0, catalog) }.sorted {
            Array($0.name.utf8).lexicographicallyPrecedes($1.name.utf8)
        }
    }
}

extension TableProperty {
    /// Whether this version of Kivo knows how the type of the values or elements is stored.
    package var isKnown: Bool {
        if spec.target != nil { return true }
        guard let kind = ScalarType(rawValue: spec.typeCode)?.columnKind else { return false }
        return spec.element.map { $0 == ElementKind(kind, isOptional: spec.isOptional) }
            ?? (spec.kind == kind)
    }
}

/// The classes of a catalog, each read on first use. Confined to one reader.
final class StoredClasses {
    let catalog: Catalog
    private var known: [TableID: StoredClass] = [:]

    init(_ catalog: Catalog) { self.catalog = catalog }

    subscript(table: TableID) -> StoredClass {
        if let some = known[table] { return some }
        let some = StoredClass(table, catalog)
        known[table] = some
        return some
    }
}
