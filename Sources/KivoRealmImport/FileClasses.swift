import Kivo
import KivoEngine
import KivoRealmFiles

/// The classes of a file in the form in which a realm can store them.
package struct FileClasses {
    /// A class of the file that a realm can store.
    package struct StorableClass {
        /// The table.
        package let table: RealmFile.Table
        /// The class in the realm.
        package let definition: ClassDefinition
    }

    /// The classes, in the order of the file.
    package private(set) var classes: [StorableClass] = []
    /// The tables that no realm can store, with the reason.
    package private(set) var refused: [(table: RealmFile.Table, reason: String)] = []
    /// The properties that no realm can store, by class and name, with the reason.
    package private(set) var refusedProperties: [(className: String, name: String, reason: String)] = []

    private let schema: RealmFile.Schema
    private var accepted: Set<RealmFile.TableKey> = []

    /// Collects the classes of a file.
    ///
    /// - Parameter module: The module of the classes in the program, if there is one.
    package init(_ schema: RealmFile.Schema, module: String = "") {
        self.schema = schema
        var names: Set<String> = []
        var tables: [RealmFile.Table] = []
        let all = schema.classes
        var anyCount = 0
        for table in all {
            anyCount += table.properties.count { FileClasses.scalar($0.type) == .any }
            if let reason = FileClasses.flaw(table, isDuplicate: !names.insert(table.className).inserted) {
                refused.append((table, reason))
            } else if tables.count >= FileClasses.mostClasses
                || anyCount * all.count > FileClasses.mostAnyLinks
            {
                refused.append((table, "the file has too many classes"))
            } else {
                tables.append(table)
                accepted.insert(table.key)
            }
        }
        for table in tables {
            let typeName = module.isEmpty ? "" : "\(module).\(table.className)"
            var taken: Set<String> = []
            let properties = zip(table.properties, StoredNames(table).names).compactMap {
                source, name -> ClassDefinition.Property? in
                if taken.insert(name).inserted { return property(source, name, of: table) }
                refuse(source, table, "the class has another property of its name")
                return nil
            }
            classes.append(
                StorableClass(
                    table: table,
                    definition: ClassDefinition(
                        name: table.className, typeName: typeName, isEmbedded: table.kind == .embedded,
                        properties: properties)))
        }
    }

    /// The largest number of classes. No app has more; a file that does was not written by an app.
    private static let mostClasses = 4000
    /// The largest number of links from properties of type any: each such property can link to each class, which takes a table.
    private static let mostAnyLinks = 200_000

    private static func flaw(_ table: RealmFile.Table, isDuplicate: Bool) -> String? {
        if table.className.isEmpty { return "it has no name" }
        if isDuplicate { return "the file has another class of its name" }
        if AnyContainer(rawValue: table.className) != nil {
            return "the name is used for values of any type"
        }
        // The maximum number of properties of a class in a realm.
        return table.properties.count > 2000 ? "it has more than 2000 properties" : nil
    }

    private mutating func property(
        _ property: RealmFile.Property, _ name: String, of table: RealmFile.Table
    ) -> ClassDefinition.Property? {
        var target: String?
        if property.type == .link {
            let linked = property.targetTable.flatMap { accepted.contains($0) ? schema[$0] : nil }
            guard let linked else {
                refuse(property, table, "it links to a class that is left out")
                return nil
            }
            if linked.kind == .embedded, property.collection == .set {
                refuse(property, table, "no set holds embedded objects")
                return nil
            }
            target = linked.className
        }
        let scalar = FileClasses.scalar(property.type)
        let isSingle = property.collection == nil
        let isPrimaryKey =
            isSingle && table.kind != .embedded && table.primaryKey?.columnKey == property.columnKey
            && FileClasses.canBePrimaryKey(property.type)
        return ClassDefinition.Property(
            name: name, scalar: scalar, collection: FileClasses.collection(property.collection),
            isOptional: scalar == nil
                ? isSingle || property.collection == .dictionary : property.isNullable && scalar != .any,
            isPrimaryKey: isPrimaryKey,
            isIndexed: !isPrimaryKey && isSingle && property.isIndexed
                && FileClasses.canBeIndexed(property.type),
            target: target)
    }

    private mutating func refuse(_ property: RealmFile.Property, _ table: RealmFile.Table, _ reason: String) {
        refusedProperties.append((table.className, property.name, reason))
    }

    private static func canBePrimaryKey(_ type: RealmFile.PropertyType) -> Bool {
        [.int, .string, .objectID, .uuid].contains(type)
    }

    private static func canBeIndexed(_ type: RealmFile.PropertyType) -> Bool {
        canBePrimaryKey(type) || [.bool, .date, .mixed].contains(type)
    }

    static func collection(_ kind: RealmFile.CollectionKind?) -> CollectionKind {
        switch kind {
        case nil: .none
        case .list: .list
        case .set: .set
        case .dictionary: .map
        }
    }

    /// Returns the scalar type that stores values of a type, or nil for objects.
    static func scalar(_ type: RealmFile.PropertyType) -> ScalarType? {
        switch type {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .mixed, .typedLink: .any
        case .date: .date
        case .float: .float
        case .double: .double
        case .decimal128: .decimal128
        case .link: nil
        case .objectID: .objectId
        case .uuid: .uuid
        }
    }
}
