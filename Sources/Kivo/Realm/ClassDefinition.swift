import KivoEngine

/// A class that the program does not declare, to be stored as if it did: a class of the same name and properties that a
/// program declares later has the table.
package struct ClassDefinition {
    /// A property.
    package struct Property {
        /// The name.
        package var name: String
        /// What values or elements are stored as; nil for objects.
        package var scalar: ScalarType?
        /// The kind of collection.
        package var collection: CollectionKind
        /// Whether values or elements can be null.
        package var isOptional: Bool
        /// Whether objects are told apart by the property.
        package var isPrimaryKey: Bool
        /// Whether rows can be found by the value.
        package var isIndexed: Bool
        /// The class of the objects that the property links to.
        package var target: String?

        /// A property of its parts.
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
    /// What a program calls the class, its module included; empty if that is not known.
    package var typeName: String
    /// Whether each object is owned by one link.
    package var isEmbedded: Bool
    /// The properties.
    package var properties: [Property]

    /// A class of its parts.
    package init(name: String, typeName: String = "", isEmbedded: Bool, properties: [Property]) {
        self.name = name
        self.typeName = typeName
        self.isEmbedded = isEmbedded
        self.properties = properties
    }

    /// The class as it is stored, under the name that the program of its file gave it.
    package init(_ stored: StoredClass) {
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
    /// Adds classes that the program does not declare, unless there are some of their names.
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
    /// Adds classes that link to each other and to those that are there. What is there stays as it is.
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

    private func wrapper(_ property: ClassDefinition.Property) -> WrapperLocator.Found {
        var type = DeclaredType()
        type.scalar = property.scalar
        type.isOptional = property.isOptional
        type.collection = property.collection
        let target = property.target.flatMap { table(named: $0) }
        if property.scalar == nil { type.target = DynamicObject.self }
        return WrapperLocator.Found(
            name: property.name, wrapper: type.dynamicColumn, type: type,
            declaration: (property.isPrimaryKey ? PersistedColumn.primary : 0)
                | (property.isIndexed ? PersistedColumn.indexed : 0),
            offset: 0, isOwn: true, isOwning: target.map { tables[$0].isEmbedded } ?? false)
    }
}
