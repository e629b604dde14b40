import KivoSchemaDrawing
import KivoSourceModel

/// The schema that the model classes of some sources declare.
struct SourceSchema {
    /// The classes by name, as they are drawn.
    var outline: SchemaOutline
    /// The stored types of values, by class and property. Two enums with raw values of the same type have the same stored type.
    var storage: [String: [String: String]] = [:]
    /// Warnings about sources that could not be read.
    var warnings: [Diagnostic]

    /// Creates the schema of all models of a program.
    init(_ program: Program, warnings: [Diagnostic] = []) {
        self.warnings = warnings
        var classes: [SchemaOutline.Class] = []
        var seen: Set<String> = []
        for model in program.ownModels where model.isInDefaultSchema && !model.declaration.isLocal {
            // Only the first of a class's declarations in several `#if` branches is shown.
            guard seen.insert(model.name).inserted else { continue }
            classes.append(
                SchemaOutline.Class(
                    model.name, isEmbedded: model.isEmbedded,
                    model.allProperties.map { Self.property($0, model) }))
            for property in model.allProperties {
                storage[model.name, default: [:]][property.name] = Self.storage(
                    of: property.type.value, property.type)
            }
        }
        outline = SchemaOutline(classes.sorted { $0.name < $1.name })
    }

    private static func property(_ property: ModelProperty, _ model: Model) -> SchemaOutline.Property {
        let stored = model.storedName(of: property)
        let type = property.type
        let collection: SchemaOutline.Property.Collection? =
            switch type.collection {
            case .list: .list
            case .set: .set
            case .map: .map
            case .inverse: .inverse
            case nil: nil
            }
        return SchemaOutline.Property(
            property.name, storedName: stored == property.name ? nil : stored, type: name(of: type),
            isOptional: type.isOptional && collection != .inverse, target: type.model?.name,
            collection: collection,
            origin: property.origin?.name, isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed)
    }

    /// Returns the type of a value as text.
    private static func name(of type: PropertyType) -> String {
        switch type.value {
        case .scalar(let name): name.rawValue
        case .anyValue: "AnyRealmValue"
        case .enumeration(let declaration, _): declaration.name
        case .model(let model): model.name
        case .custom, .unsupported, .unknown: type.valueText.isEmpty ? "?" : type.valueText
        }
    }

    private static func storage(of value: PropertyType.Value, _ type: PropertyType) -> String {
        if case .enumeration(_, let raw?) = value { return raw }
        return name(of: type)
    }
}
