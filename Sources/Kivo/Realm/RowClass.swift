import KivoEngine

/// A class as one realm instance stores it, for code that writes rows without objects: see ``RowWriter``.
///
/// Confined with the realm instance, which has to outlive it.
package struct RowClass {
    let context: TableContext
    /// The properties that have a column.
    package let properties: [RowProperty]
    /// The primary key, or nil if there is none.
    package let primaryKey: RowProperty?

    init(_ context: TableContext) {
        self.context = context
        properties = context.info.storedProperties.map { RowProperty($0, context) }
        primaryKey = properties.first(where: \.isPrimaryKey)
    }

    /// The name of the class.
    package var name: String { context.info.name }
    /// The table of the objects.
    package var table: TableID { context.table }
    /// Whether each object is owned by one link.
    package var isEmbedded: Bool { context.info.isEmbedded }
    /// The number of objects.
    package var count: Int { context.instance.table(table).count }
}

/// A property of a ``RowClass``.
package struct RowProperty {
    let info: PropertyInfo
    /// The table of the objects that the property links to; nil for plain values.
    package let target: TableID?
    /// The class of these objects.
    package let targetName: String?

    init(_ info: PropertyInfo, _ context: TableContext) {
        self.info = info
        let linked = info.isLinking ? context.target(of: info) : nil
        target = linked?.table
        targetName = linked?.info.name
    }

    /// The name in the class.
    package var name: String { info.name }
    /// The name under which the values are stored.
    package var columnName: String { info.columnName }
    /// The column of the values, or of a map's keys.
    package var column: Int { info.column }
    /// The column of a map's values, or nil.
    package var valuesColumn: Int? { info.valuesColumn }
    /// The stored type of values or elements; nil for objects.
    package var scalar: ScalarType? { info.type.scalar }
    /// The kind of collection.
    package var collection: CollectionKind { info.type.collection }
    /// Whether values or elements can be null.
    package var isOptional: Bool { info.type.isOptional || scalar == .any }
    /// Whether the objects that the property links to belong to its object.
    package var isOwning: Bool { info.isOwning }
    /// Whether the property is the primary key.
    package var isPrimaryKey: Bool { info.isPrimaryKey }
    /// Whether the values are indexed.
    package var isIndexed: Bool { info.isIndexed }

    /// The type as it is declared in Swift.
    package var typeDescription: String {
        let element = (targetName ?? scalar?.name ?? "?") + (info.type.isOptional ? "?" : "")
        return switch collection {
        case .none: element
        case .list: "List<\(element)>"
        case .set: "MutableSet<\(element)>"
        case .map: "Map<String, \(element)>"
        case .linkingObjects: "LinkingObjects<\(element)>"
        }
    }
}

extension Realm {
    /// Returns some classes and all that they link to. Throws if one of them differs from the stored one, or is not among the
    /// `objectTypes` of the configuration.
    package func rowClasses(_ types: [ObjectBase.Type]) throws -> [RowClass] {
        instance.checkConfinement()
        var seen: Set<ObjectIdentifier> = []
        var found: [RowClass] = []
        for type in types {
            try register(Registry.info(type))
            for info in Registry.closure(type) where seen.insert(ObjectIdentifier(info.type)).inserted {
                if AnyContainer(rawValue: info.name) == nil || !info.isEmbedded {
                    found.append(RowClass(try declaredContext(info)))
                }
            }
        }
        return found
    }

    /// Returns the class with a name: one that the realm stores, or one that the program has used elsewhere and that this realm
    /// may hold. Returns nil if there is none.
    package func rowClass(named name: String) throws -> RowClass? {
        instance.checkConfinement()
        instance.updateCatalog()
        let table = instance.catalog.table(named: name)
        if let table, instance.catalog.tables[table].isInternal { return nil }
        if let table, instance.catalog.tables[table].isDefined {
            if let known = instance.classes.usedContext(of: table), !known.isDynamic {
                return RowClass(known)
            }
            if let info = Registry.info(of: instance.catalog.tables[table]), allows(info.type) {
                try register(info)
                return RowClass(try declaredContext(info))
            }
            return RowClass(instance.classes.dynamicContext(of: table))
        }
        guard let type = Registry.type(storedAs: name, among: instance.configuration.objectTypes),
            allows(type)
        else {
            return nil
        }
        try register(Registry.info(type))
        return RowClass(try declaredContext(Registry.info(type)))
    }

    /// Returns all classes that the realm stores.
    package func rowClasses() throws -> [RowClass] {
        try schema.held.compactMap { try rowClass(named: $0.className) }
    }

    /// Returns whether this realm may hold objects of a class.
    private func allows(_ type: ObjectBase.Type) -> Bool {
        configuration.objectTypes?.contains { $0 == type } ?? type.shouldIncludeInDefaultSchema()
    }

    private func register(_ info: ClassInfo) throws {
        do {
            instance.adopt(try instance.store.register([info]))
        } catch {
            throw Realm.Error.wrapping(error, configuration.fileURL)
        }
    }

    private func declaredContext(_ info: ClassInfo) throws -> TableContext {
        guard allows(info.type) else {
            throw Realm.Error(
                .invalidInput,
                """
                Class '\(info.name)' is not among the 'objectTypes' of the realm's configuration: add it there to use it in \
                this realm.
                """, fileURL: configuration.fileURL)
        }
        return instance.classes.context(of: info.type)
    }
}
