import KivoEngine

/// A model class: its properties, found once by reflection over a prototype instance.
///
/// Immutable; the metatypes in it are of wrappers, whose conformances are not isolated to any actor.
final class ClassInfo: @unchecked Sendable {
    let type: ObjectBase.Type
    let name: String
    /// The name, qualified with the module and the enclosing types.
    let qualifiedName: String
    /// The properties in order of declaration, superclasses first.
    let properties: [PropertyInfo]
    /// The properties that have a column, in the same order.
    let storedProperties: [PropertyInfo]
    let primaryKey: PropertyInfo?
    let isEmbedded: Bool
    /// Whether the description was created from a table: then instances are ``DynamicObject``s.
    let isDynamic: Bool
    /// The class that the program declares for a table, or nil if there is none.
    let declared: ClassInfo?
    /// Whether the class conforms to `Observable`.
    let isObservable: Bool
    /// The primary key, the indexed and the ignored properties that the wrappers of the class declare.
    let declaration: ClassDeclaration
    /// Whether an accessor can be reused for another row: the class stores nothing but persisted properties.
    let isRecyclable: Bool
    /// Whether a stored property holds objects.
    let hasLinks: Bool
    /// The class and its superclasses, itself last.
    let ancestors: [ObjectIdentifier]
    /// The class's rules for key-value observing and coding, which are created on first use.
    let keyValueRules = OnceReference()
    private let ignored: [IgnoredPropertyInfo]
    private let collections: [PropertyInfo]
    /// The properties without a wrapper that have no column.
    let bareInverses: [PropertyInfo]
    private let byName: [String: Int]
    private let byColumn: [PropertyInfo?]
    /// The stored properties' wrappers, for loops over them.
    let storedWrappers: [(wrapper: any AnyPersisted.Type, offset: Int, boundColumn: Int)]
    /// The offset of each wrapper's column number, and the number.
    private let bindings: [(offset: Int, column: UInt32)]

    convenience init(_ type: ObjectBase.Type) {
        var located = WrapperLocator.locate(in: type)
        let declaration = ClassDeclaration.complete(&located, type)
        let columnNames = ClassDeclaration.columnNames(located, type)
        self.init(
            type, name: type.className(), qualifiedName: String(reflecting: type), located, declaration,
            properties: ClassInfo.assignColumns(located.wrappers, columnNames),
            isEmbedded: type is EmbeddedObject.Type)
        checkDeclaration()
    }

    /// Creates the description of a table's class, with properties that were created from the table's columns.
    convenience init(
        dynamic name: String, _ properties: [PropertyInfo], isEmbedded: Bool, declared: ClassInfo?,
        aliases: [String: String] = [:]
    ) {
        var located = WrapperLocator.Declarations()
        located.isComplete = true
        self.init(
            DynamicObject.self, name: name, qualifiedName: declared?.qualifiedName ?? name, located,
            ClassDeclaration(properties), properties: properties, isEmbedded: isEmbedded, isDynamic: true,
            declared: declared, aliases: aliases)
    }

    private init(
        _ type: ObjectBase.Type, name: String, qualifiedName: String, _ located: WrapperLocator.Declarations,
        _ declaration: ClassDeclaration, properties: [PropertyInfo], isEmbedded: Bool,
        isDynamic: Bool = false, declared: ClassInfo? = nil, aliases: [String: String] = [:]
    ) {
        self.type = type
        self.name = name
        self.qualifiedName = qualifiedName
        self.isEmbedded = isEmbedded
        self.isDynamic = isDynamic
        self.declared = declared
        self.declaration = declaration
        self.properties = properties
        isObservable = !isDynamic && ObservableClasses.contains(type)
        isRecyclable = located.isComplete
        ancestors = located.ancestors
        ignored = located.ignored
        storedProperties = properties.filter(\.isStored)
        hasLinks = storedProperties.contains { $0.isLinking || $0.type.scalar == .any }
        primaryKey = properties.first(where: \.isPrimaryKey)
        collections = properties.filter { $0.wrapper.isCached }
        bareInverses = collections.filter { !$0.isStored }
        var byName = Dictionary(
            properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (alias, name) in aliases where byName[alias] == nil { byName[alias] = byName[name] }
        self.byName = byName
        let columns = properties.flatMap { [$0.column, $0.valuesColumn].compactMap { $0 } }
        var byColumn = [PropertyInfo?](repeating: nil, count: (columns.max() ?? -1) + 1)
        for property in properties {
            byColumn[property.column] = property
            if let column = property.valuesColumn { byColumn[column] = property }
        }
        self.byColumn = byColumn
        storedWrappers = storedProperties.map { ($0.wrapper, $0.offset, Int($0.boundColumn)) }
        // The properties of a table have no wrappers, and neither do bare properties.
        bindings =
            properties.compactMap { property in
                guard let wrapper = property.wrapper as? any LocatedWrapper.Type else { return nil }
                return (property.offset + wrapper.columnOffset, property.boundColumn)
            } + ignored.map { ($0.offset + $0.wrapper.columnOffset, UInt32($0.column)) }
    }

    func property(named name: String) -> PropertyInfo? { byName[name].map { properties[$0] } }

    func ignoredProperty(named name: String) -> IgnoredPropertyInfo? { ignored.first { $0.name == name } }

    func ignoredProperty(column: Int) -> IgnoredPropertyInfo {
        ignored[column - PersistedColumn.firstIgnored]
    }

    /// Returns the property of a column. For the second column of a map, this is the map's property.
    func property(column: Int) -> PropertyInfo { byColumn[column]! }

    /// Returns the property of a column in the form that wrappers of managed objects store.
    func property(bound column: Int) -> PropertyInfo {
        property(column: PersistedColumn.index(UInt32(column)))
    }

    /// Stores the column numbers in a new instance's wrappers.
    func bind(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for binding in bindings {
            base.storeBytes(of: binding.column, toByteOffset: binding.offset, as: UInt32.self)
        }
    }

    /// Stores the column numbers in an unmanaged instance's wrappers, with the mark of an unmanaged object.
    func bindUnmanaged(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for binding in bindings {
            let isIgnored = PersistedColumn.index(binding.column) >= PersistedColumn.firstIgnored
            let column = binding.column | (isIgnored ? 0 : PersistedColumn.unmanaged)
            base.storeBytes(of: column, toByteOffset: binding.offset, as: UInt32.self)
        }
    }

    /// Whether accessors cache collections that belong to one row.
    var hasCollections: Bool { !collections.isEmpty }

    /// Replaces the collections that an accessor caches with those of its current row.
    func renewCollections(_ object: ObjectBase) {
        for property in collections { property.wrapper.renew(property.address(in: object), object, property) }
    }

    /// Assigns columns to stored properties first, then to the values of maps, in the order of `ColumnSpec`. Properties without a
    /// column get the numbers after that.
    static func assignColumns(
        _ properties: [WrapperLocator.LocatedProperty], _ names: [String: String],
        targets: [String: TableID] = [:]
    ) -> [PropertyInfo] {
        func columnName(_ wrapper: WrapperLocator.LocatedProperty) -> String {
            names[wrapper.name] ?? wrapper.name
        }
        let stored = properties.filter { $0.type.collection != .linkingObjects }.map(columnName).sorted()
        let maps = properties.filter { $0.type.collection == .map }.map {
            ColumnSpec.valuesName(of: columnName($0))
        }
        .sorted()
        let columns = Dictionary(
            zip(stored + maps, 0...).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        var virtual = stored.count + maps.count
        return properties.map { wrapper in
            let name = columnName(wrapper)
            let target = targets[wrapper.name]
            guard wrapper.type.collection != .linkingObjects else {
                defer { virtual += 1 }
                return PropertyInfo(
                    wrapper, column: virtual, columnName: name, valuesColumn: nil, targetTable: target)
            }
            return PropertyInfo(
                wrapper, column: columns[name]!, columnName: name,
                valuesColumn: wrapper.type.collection == .map
                    ? columns[ColumnSpec.valuesName(of: name)]! : nil,
                targetTable: target)
        }
    }

    /// Traps if the class cannot be a model, with one sentence that names class and property.
    private func checkDeclaration() {
        let keys = properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            let names = keys.map { "'\($0.name)'" }.joined(separator: " and ")
            trap("Class '\(name)' declares two primary keys, \(names): a class has at most one.")
        }
        if isEmbedded, let key = keys.first {
            trap("Embedded class '\(name)' declares primary key '\(key.name)': embedded objects have none.")
        }
        var seen: Set<String> = []
        for property in properties.map(\.name) + ignored.map(\.name) where !seen.insert(property).inserted {
            trap("Class '\(name)' declares property '\(property)' twice, in itself and in a superclass.")
        }
        if name.isEmpty {
            trap("'_realmObjectName()' of class '\(qualifiedName)' says nothing: give a name, or nil.")
        }
        for property in properties where property.type.collection == .set && property.isOwning {
            trap("Property '\(name).\(property.name)' is a set of embedded objects: use a list.")
        }
        for property in properties {
            guard let target = property.type.target else { continue }
            checkElements(property)
            if target == Object.self || target == EmbeddedObject.self || target == ObjectBase.self {
                trap(
                    "Property '\(name).\(property.name)' links to '\(target)': name a class derived from it.")
            }
        }
    }

    /// Traps if a list or set of objects is declared with optional elements, or a map of objects without.
    private func checkElements(_ property: PropertyInfo) {
        let (type, subject) = (property.type, "Property '\(name).\(property.name)'")
        let element = type.target!.className()
        switch type.collection {
        case .list where type.isOptional:
            trap(
                "\(subject) is a list of optional objects: a list holds no nil. Declare it 'List<\(element)>'."
            )
        case .set where type.isOptional:
            trap(
                "\(subject) is a set of optional objects: a set holds no nil. Declare it 'MutableSet<\(element)>'."
            )
        case .map where !type.isOptional && !type.isMapped:
            trap(
                """
                \(subject) is a map of objects that are not optional: a value becomes nil when its object is deleted. Declare it \
                'Map<String, \(element)?>'.
                """)
        default: return
        }
    }

    /// Traps if a linking-objects property does not name a link of its class back to this class.
    func checkOrigins() {
        for property in properties where property.type.collection == .linkingObjects {
            let originName = property.type.originProperty ?? ""
            let origin = Registry.info(property.type.target!)
            guard let back = origin.property(named: originName), back.isStored else {
                trap(
                    """
                    Property '\(name).\(property.name)' has origin property '\(originName)', which does not exist \
                    in class '\(origin.name)'.
                    """)
            }
            guard let target = back.type.target, target == type || target.className() == name else {
                trap(
                    """
                    Property '\(name).\(property.name)' has origin property '\(origin.name).\(originName)', which \
                    does not link to class '\(name)'.
                    """)
            }
        }
    }

    /// Returns the columns of the class's table. `table` returns the tables of linked classes that the program declares.
    func columns(_ table: (ObjectBase.Type) -> TableID) -> [ColumnSpec] {
        var columns: [ColumnSpec] = []
        for property in storedProperties {
            columns.append(column(property, table))
            guard property.type.collection == .map else { continue }
            var values = column(property, table)
            values.name = ColumnSpec.valuesName(of: property.columnName)
            values.isOptional = property.type.isOptional
            values.element = property.type.elementKind
            values.order = .values
            values.target = property.targetTable ?? property.type.target.map(table)
            values.isOwning = property.isOwning
            columns.append(values)
        }
        return columns.sorted(by: ColumnSpec.isOrderedBefore)
    }

    private func column(_ property: PropertyInfo, _ table: (ObjectBase.Type) -> TableID) -> ColumnSpec {
        let type = property.type
        var column = ColumnSpec(
            name: property.columnName, kind: type.scalar?.columnKind ?? .link,
            isOptional: type.isOptional || type.scalar == .any,
            isOwning: property.isOwning, isIndexed: property.isIndexed, isPrimaryKey: property.isPrimaryKey,
            typeCode: type.scalar?.rawValue ?? 0)
        switch type.collection {
        case .none: column.target = property.targetTable ?? type.target.map(table)
        case .map:
            column.kind = .sequence
            column.element = .string
            column.order = .sorted
            column.isOptional = false
            column.isOwning = false
        case .list, .set:
            column.kind = .sequence
            column.element = type.elementKind
            column.order = type.collection == .set ? .sorted : .insertion
            column.target = property.targetTable ?? type.target.map(table)
        case .linkingObjects: trap("Linking objects have no column.")
        }
        return column
    }
}
