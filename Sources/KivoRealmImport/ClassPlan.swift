import Kivo
import KivoRealmFiles

/// The plan for importing the objects of one class. Confined to the import.
final class ClassPlan {
    let source: RealmFile.Table
    let target: RowClass
    /// The primary key, nil if the class has none.
    var primaryKey: PrimaryKeyPlan?
    /// The properties that are written with the object.
    var values: [PropertyPlan] = []
    /// The properties that are written after all objects are inserted, because they may link to objects.
    var links: [PropertyPlan] = []
    /// The properties that are missing from the file.
    var missing: [RowProperty] = []

    init(_ source: RealmFile.Table, _ target: RowClass) {
        self.source = source
        self.target = target
    }
}

/// The source of the primary key.
enum PrimaryKeyPlan {
    case file(PropertyPlan)
    /// The file lacks the property: each object gets the default.
    case missing(RowProperty)
}

/// The plan for importing one property. Confined to the import.
final class PropertyPlan {
    let source: RealmFile.Property
    let target: RowProperty
    /// The description of what the file stores, if the property cannot hold any such value; nil if that depends on the value.
    let misfit: String?

    init(_ source: RealmFile.Property, _ target: RowProperty, misfit: String?) {
        self.source = source
        self.target = target
        self.misfit = misfit
    }
}

extension ClassPlan {
    /// Matches each property of the class with a property of the file.
    ///
    /// - Parameter plans: The known target classes of all tables.
    func match(
        _ plans: [RealmFile.TableKey: RowClass], _ report: inout RealmFileImport.Report
    ) {
        let names = StoredNames(source).names
        var sources = Dictionary(
            zip(names, source.properties).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        for property in target.properties {
            guard let source = sources.removeValue(forKey: property.columnName) else {
                report.missingProperties.append(.init(className: target.name, propertyName: property.name))
                if property.isPrimaryKey {
                    primaryKey = .missing(property)
                } else {
                    missing.append(property)
                }
                continue
            }
            let plan = PropertyPlan(source, property, misfit: ClassPlan.misfit(source, property, plans))
            if property.isPrimaryKey {
                primaryKey = .file(plan)
            } else if property.scalar == nil || property.scalar == .any {
                links.append(plan)
            } else {
                values.append(plan)
            }
        }
        for (name, source) in zip(names, source.properties) where sources[name] != nil {
            report.unusedProperties.append(.init(className: target.name, propertyName: source.name))
        }
    }

    private static func misfit(
        _ source: RealmFile.Property, _ target: RowProperty, _ plans: [RealmFile.TableKey: RowClass]
    ) -> String? {
        let kinds = (FileClasses.collection(source.collection), target.collection)
        let isFitting =
            switch kinds {
            // A value of type any can be a list or a dictionary.
            case (.list, .none), (.map, .none): target.scalar == .any
            case (.set, .list), (.list, .set): true
            default: kinds.0 == kinds.1
            }
        let isLinkFitting =
            target.scalar != nil
            || source.type == .link && source.targetTable.flatMap { plans[$0]?.table } == target.target
        let isValueFitting = target.scalar == nil || target.scalar == .any || source.type != .link
        return isFitting && isLinkFitting && isValueFitting ? nil : source.typeDescription
    }
}

extension RealmFile.Property {
    /// The name of the type in Swift.
    package var typeDescription: String {
        let element = FileClasses.scalar(type)?.name ?? targetClassName ?? "Object"
        let value = element + (isNullable && type != .mixed && type != .link ? "?" : "")
        return switch collection {
        case nil: value
        case .list: "List<\(value)>"
        case .set: "MutableSet<\(value)>"
        case .dictionary: "Map<\(keyType == .int ? "Int" : "String"), \(value)>"
        }
    }
}

extension ClassPlan {
    /// Returns the plans for importing a file's classes into a realm. Throws if the file has classes and none of them can be
    /// imported.
    static func all(
        of schema: RealmFile.Schema, in realm: Realm, _ classes: RealmFileImport.Classes,
        _ report: inout RealmFileImport.Report
    ) throws -> [ClassPlan] {
        let file = FileClasses(schema)
        var targets: [String: RowClass] = [:]
        switch classes {
        case .types(let types):
            for stored in try realm.rowClasses(types) { targets[stored.name] = stored }
        case .known, .all:
            let names = file.classes.map(\.definition.name)
            for name in names { targets[name] = try realm.rowClass(named: name) }
            guard case .all = classes else { break }
            let unknown = file.classes.map(\.definition).filter { targets[$0.name] == nil }
            try realm.define(unknown)
            for definition in unknown {
                targets[definition.name] = try realm.rowClass(named: definition.name)
            }
        }
        report.skippedClasses = file.refused.map {
            .init(className: $0.table.className, count: $0.table.count, reason: $0.reason)
        }
        var plans: [ClassPlan] = []
        for stored in file.classes {
            guard let target = targets[stored.definition.name] else {
                report.skippedClasses.append(
                    .init(
                        className: stored.definition.name, count: stored.table.count,
                        reason: "the realm has no class of this name"))
                continue
            }
            plans.append(ClassPlan(stored.table, target))
            report.classes.append(.init(className: target.name, inFile: stored.table.count))
        }
        if plans.isEmpty, !file.classes.isEmpty {
            let names = file.classes.prefix(5).map { "'\($0.definition.name)'" }.joined(separator: ", ")
            throw Realm.Error(
                .invalidInput,
                """
                None of the classes of the file is known, which are \(names)\(file.classes.count > 5 ? " and others" : ""): name \
                yours in 'classes: .types([…])' or in the configuration's 'objectTypes', or bring all along by 'classes: .all'.
                """, fileURL: realm.configuration.fileURL)
        }
        let byTable = Dictionary(
            plans.map { ($0.source.key, $0.target) }, uniquingKeysWith: { first, _ in first })
        for index in plans.indices { plans[index].match(byTable, &report) }
        return plans
    }
}
