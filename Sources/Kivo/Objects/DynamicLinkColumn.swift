import KivoEngine

/// A property that links to objects, or is a collection of them.
protocol AnyDynamicLinkColumn: AnyDynamicColumn {}

extension AnyDynamicLinkColumn {
    /// Assigns a value like `create`: links to objects of this realm, whether they are dynamic or not, and creates objects from
    /// all other values.
    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool {
        let property = owner.kivoContext.info.property(column: column)
        guard property.isStored else { return false }
        let transaction = owner.kivoRequireWrite(property)
        owner.kivoInstance!.adder(transaction, .error).assign(any, property, owner)
        return true
    }
}

/// A property that is a collection of dynamic objects.
struct DynamicLinkColumn<Value: _Persistable>: AnyDynamicLinkColumn {}

/// A property that links to an object: of the program's class if it declares one, otherwise a dynamic object.
struct DynamicObjectColumn: AnyDynamicLinkColumn {
    typealias Value = DynamicObject?

    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        let row = owner.kivoRow
        let key = row.columns![column].assumingMemoryBound(to: ObjectKey.self)[row.slot]
        if key == 0 { return nil }
        let context = owner.kivoContext
        let target = context.target(of: context.info.property(column: column))
        return (context.instance.classes.declaredContext(of: target.table) ?? target).accessor(key)
    }
}

extension GraphAdder {
    /// Assigns a property of a managed object from a value from which objects are created.
    func assign(_ value: Any?, _ property: PropertyInfo, _ owner: ObjectBase) {
        begin(owner, .optionals([property.name: value]))
    }
}

extension ClassInfo {
    /// Creates the class of a table from its columns. If the program declares a class with the name, and the table is that
    /// class's table, the properties have its order and its names. Its linking objects are added to them.
    ///
    /// - Parameters:
    ///   - hidden: The stored names of columns that get no property.
    ///   - aliases: Stored names by other names of the same properties. A property with such a name takes precedence.
    ///   - isMigrating: Whether collections of integers of any width are collections of `Int`.
    ///   - order: The stored names in the order of the properties, if no class is declared. Other properties follow by name.
    convenience init(
        _ table: TableID, in catalog: Catalog, declared: ClassInfo?, hiding hidden: Set<String> = [],
        aliases: [String: String] = [:], order: [String] = [], isMigrating: Bool = false
    ) {
        let spec = catalog.tables[table]
        let columnNames = declared.map { info in
            Dictionary(
                info.storedProperties.map { ($0.columnName, $0.name) },
                uniquingKeysWith: { first, _ in first })
        }
        var located: [WrapperLocator.LocatedProperty] = []
        var names: [String: String] = [:]
        var targets: [String: TableID] = [:]
        for property in spec.properties {
            let element = property.spec
            var type = DeclaredType()
            type.collection = CollectionKind(property.kind)
            type.scalar = ScalarType(rawValue: element.typeCode)
            type.isOptional = element.isOptional && type.scalar != .any
            let name = columnNames?[property.name] ?? property.name
            if name != property.name { names[name] = property.name }
            if let target = element.target {
                type.target = DynamicObject.self
                targets[name] = target
            }
            let declaration =
                (element.isPrimaryKey ? PersistedColumn.primary : 0)
                | (element.isIndexed ? PersistedColumn.indexed : 0)
            located.append(
                WrapperLocator.LocatedProperty(
                    name: name, wrapper: type.dynamicColumn(isMigrating: isMigrating), type: type,
                    declaration: declaration, offset: 0,
                    isOwning: element.isOwning))
        }
        if let declared {
            let order = Dictionary(
                declared.properties.enumerated().map { ($1.name, $0) },
                uniquingKeysWith: { first, _ in first })
            for property in declared.properties where !property.isStored {
                guard let origin = ClassInfo.origin(of: property, linkingTo: table, in: catalog) else {
                    continue
                }
                var type = property.type
                type.target = DynamicObject.self
                targets[property.name] = origin
                located.append(
                    WrapperLocator.LocatedProperty(
                        name: property.name, wrapper: type.dynamicColumn(isMigrating: isMigrating),
                        type: type,
                        declaration: 0, offset: 0,
                        isOwning: false))
            }
            located.sort { order[$0.name] ?? .max < order[$1.name] ?? .max }
        } else if !order.isEmpty {
            let positions = Dictionary(
                order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            located.sort { (positions[$0.name] ?? .max, $0.name) < (positions[$1.name] ?? .max, $1.name) }
        }
        let properties = ClassInfo.assignColumns(located, names, targets: targets)
        self.init(
            dynamic: spec.name, properties.filter { !hidden.contains($0.columnName) },
            isEmbedded: spec.isEmbedded, declared: declared, aliases: aliases)
    }
}

extension ClassInfo {
    /// Returns the table whose objects link to a table through the origin property of linking objects, or nil if it has no such
    /// column.
    private static func origin(
        of property: PropertyInfo, linkingTo table: TableID, in catalog: Catalog
    ) -> TableID? {
        let info = Registry.info(property.type.target!)
        guard let origin = catalog.table(named: info.name),
            let name = info.property(named: property.type.originProperty ?? "")?.columnName,
            catalog.tables[origin].columns.contains(where: {
                $0.propertyName == name && $0.target == table
            })
        else { return nil }
        return origin
    }
}

extension DeclaredType {
    /// Returns the substitute for a wrapper of the type. In a migration, collections of integers are of type `Int`.
    func dynamicColumn(isMigrating: Bool) -> any AnyPersisted.Type {
        guard let scalar else {
            switch collection {
            case .none: return DynamicObjectColumn.self
            case .list: return DynamicLinkColumn<List<DynamicObject>>.self
            case .set: return DynamicLinkColumn<MutableSet<DynamicObject>>.self
            case .map: return DynamicLinkColumn<Map<String, DynamicObject?>>.self
            case .linkingObjects: return DynamicLinkColumn<LinkingObjects<DynamicObject>>.self
            }
        }
        func column<Value: ScalarAccess>(_ type: Value.Type) -> any AnyPersisted.Type {
            switch (collection, isOptional) {
            case (.list, false): DynamicColumn<List<Value>>.self
            case (.list, true): DynamicColumn<List<Value?>>.self
            case (.set, false): DynamicColumn<MutableSet<Value>>.self
            case (.set, true): DynamicColumn<MutableSet<Value?>>.self
            case (.map, false): DynamicColumn<Map<String, Value>>.self
            case (.map, true): DynamicColumn<Map<String, Value?>>.self
            case (_, false): DynamicColumn<Value>.self
            case (_, true): DynamicColumn<Value?>.self
            }
        }
        if scalar == .any {
            switch collection {
            case .list: return DynamicColumn<List<AnyRealmValue>>.self
            case .set: return DynamicColumn<MutableSet<AnyRealmValue>>.self
            case .map: return DynamicColumn<Map<String, AnyRealmValue>>.self
            case .none, .linkingObjects: return DynamicColumn<AnyRealmValue>.self
            }
        }
        let isWidened = isMigrating && collection != .none && scalar.isNarrowInteger
        guard let type = (isWidened ? Int.self : scalar.swiftType) as? any ScalarAccess.Type else {
            trap("Values of type '\(scalar)' are not dynamic.")
        }
        return column(type)
    }
}
