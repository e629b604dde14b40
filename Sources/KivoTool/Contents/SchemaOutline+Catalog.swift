import Kivo
import KivoEngine
import KivoSchemaDrawing

extension TableProperty {
    /// The kind of collection; nil for a single value.
    var collection: SchemaOutline.Property.Collection? {
        switch kind {
        case .value: nil
        case .list: .list
        case .set: .set
        case .map: .map
        }
    }

    /// Returns the name of the type of values or elements in Swift. For objects it is the name of their class.
    func type(_ catalog: Catalog) -> String {
        if let target = spec.target { return catalog.tables[target].name }
        return ScalarType(rawValue: spec.typeCode)?.name ?? "type \(spec.typeCode)"
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
