import KivoSchemaDrawing
import KivoSourceModel

/// The schema that the model classes of some sources declare.
struct SourceSchema {
    /// The classes by name, as they are drawn.
    var outline: SchemaOutline
    /// How values are stored, by class and property: two enums with raw values of one type are stored alike.
    var storage: [String: [String: String]] = [:]
    /// What could not be read.
    var warnings: [Diagnostic]

    /// The schema of all models of a program.
    init(_ program: Program, warnings: [Diagnostic] = []) {
        self.warnings = warnings
        var classes: [SchemaOutline.Class] = []
        var seen: Set<String> = []
        for model in program.ownModels where model.isInDefaultSchema && !model.declaration.isLocal {
            // Of classes in several branches of `#if` the first one is shown.
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

    /// The type of a value in words.
    private static func name(of type: PropertyType) -> String {
        switch type.value {
        case .scalar(let name): name
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
