import KivoEngine

/// A class that the program does not declare, to be stored as if it did. A class with the same name and properties that a program
/// declares later uses the same table.
package struct ClassDefinition {
    /// A property.
    package struct Property {
        /// The name.
        package var name: String
        /// The stored type of values or elements; nil for objects.
        package var scalar: ScalarType?
        /// The kind of collection.
        package var collection: CollectionKind
        /// Whether values or elements can be null.
        package var isOptional: Bool
        /// Whether the property is the primary key.
        package var isPrimaryKey: Bool
        /// Whether the values are indexed.
        package var isIndexed: Bool
        /// The class of the objects that the property links to.
        package var target: String?

        /// Creates a property from its parts.
        package init(
            name: String, scalar: ScalarType?, collection: CollectionKind, isOptional: Bool,
            isPrimaryKey: Bool = false, isIndexed: Bool = false, target: String? = nil
        ) {
            self.name = name
            self.scalar = scalar
            self.collection = collection
            self.isOptional = isOptional
            self.isPrimaryKey = isPrimaryKey
            self.isIndexed = isIndexed
            self.target = target
        }
    }

    /// The name.
    package var name: String
    /// The name of the class in a program, with its module; empty if it is not known.
    package var typeName: String
    /// Whether each object is owned by one link.
    package var isEmbedded: Bool
    /// The properties.
    package var properties: [Property]

    /// Creates a class from its parts.
    package init(name: String, typeName: String = "", isEmbedded: Bool, properties: [Property]) {
        self.name = name
        self.typeName = typeName
        self.isEmbedded = isEmbedded
        self.properties = properties
    }

    /// Creates the definition of a stored class, under the name that the program of its file gave it.
    package init(_ stored: RowClass) {
        name = stored.name
        typeName = stored.context.instance.catalog.tables[stored.table].typeName
        isEmbedded = stored.isEmbedded
        properties = stored.properties.map {
            Property(
                name: $0.columnName, scalar: $0.scalar, collection: $0.collection,
                isOptional: $0.info.type.isOptional, isPrimaryKey: $0.isPrimaryKey, isIndexed: $0.isIndexed,
                target: $0.targetName)
        }
    }
}

extension Realm {
    /// Adds classes that the program does not declare. Skips those whose names exist already.
    package func define(_ classes: [ClassDefinition]) throws {
        instance.checkConfinement()
        do {
            instance.adopt(try instance.store.define { try $0.define(classes) })
        } catch {
            throw Realm.Error.wrapping(error, configuration.fileURL)
        }
    }
}

extension Catalog {
    /// Adds classes that link to each other and to existing ones. Existing classes stay unchanged.
    mutating func define(_ classes: [ClassDefinition]) throws(SchemaMismatch) {
        try register(Registry.info(_AnyList.self))
        var undefined: [(definition: ClassDefinition, table: TableID)] = []
        for definition in classes {
            let table = table(named: definition.name)
            if let table, tables[table].isDefined { continue }
            undefined.append(
                (definition, table ?? declare(definition.name, isEmbedded: definition.isEmbedded)))
        }
        for (definition, table) in undefined where !tables[table].isDefined {
            let found = definition.properties.map { wrapper($0) }
            let targets = Dictionary(
                definition.properties.compactMap { property in
                    property.target.flatMap { self.table(named: $0) }.map { (property.name, $0) }
                }, uniquingKeysWith: { first, _ in first })
            let info = ClassInfo(
                dynamic: definition.name, ClassInfo.assignColumns(found, [:], targets: targets),
                isEmbedded: definition.isEmbedded, declared: nil)
            define(table, columns: info.columns { _ in table }, typeName: definition.typeName)
        }
    }

    private func wrapper(_ property: ClassDefinition.Property) -> WrapperLocator.LocatedProperty {
        var type = DeclaredType()
        type.scalar = property.scalar
        type.isOptional = property.isOptional
        type.collection = property.collection
        let target = property.target.flatMap { table(named: $0) }
        if property.scalar == nil { type.target = DynamicObject.self }
        return WrapperLocator.LocatedProperty(
            name: property.name, wrapper: type.dynamicColumn(isMigrating: false), type: type,
            declaration: (property.isPrimaryKey ? PersistedColumn.primary : 0)
                | (property.isIndexed ? PersistedColumn.indexed : 0),
            offset: 0, isOwning: target.map { tables[$0].isEmbedded } ?? false)
    }
}
