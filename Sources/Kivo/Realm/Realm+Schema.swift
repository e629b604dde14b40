import KivoEngine

extension Realm {
    /// The classes that the realm holds: those of its `objectTypes` and those of its file, whether or not the program declares
    /// them. Without `objectTypes`, all classes that the program declares take their place, used or not. If several have one
    /// name, or the runtime does not list the program's classes (on platforms other than Linux and Android), only those are
    /// included that were used.
    ///
    /// - Complexity: O(classes).
    public var schema: Schema {
        instance.checkConfinement()
        instance.updateCatalog()
        let catalog = instance.catalog
        let tables = catalog.tables.indices.filter { catalog.tables[$0].isClass }
        return Schema(
            tables.map { instance.classes.dynamicContext(of: $0) }.map { context in
                ObjectSchema(context.info) { $0.targetTable.map { catalog.tables[$0].name } }
            }, isOpen: instance.configuration.objectTypes == nil)
    }
}

extension ObjectBase {
    /// Returns the schema of the class, or nil for the base classes of models.
    ///
    /// - Complexity: O(properties).
    public static func sharedSchema() -> ObjectSchema? {
        Registry.isBase(self) ? nil : ObjectSchema(Registry.info(self))
    }

    /// The schema of the object's class.
    ///
    /// - Complexity: O(properties).
    public final var objectSchema: ObjectSchema {
        let info = kivoInfo
        let catalog = info.isDynamic ? kivoInstance?.catalog : nil
        return ObjectSchema(info) { property in
            property.targetTable.flatMap { catalog?.tables[$0].name } ?? property.type.target?.className()
        }
    }
}
