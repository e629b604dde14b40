import Kivo
import KivoRealmFiles

extension ClassPlan {
    /// Returns the plans for importing a file's classes into a realm. Throws if the file has classes and none of them can be
    /// imported.
    static func all(
        of schema: RealmFile.Schema, in realm: Realm, _ classes: RealmFileImport.Classes,
        _ report: inout RealmFileImport.Report
    ) throws -> [ClassPlan] {
        let file = FileClasses(schema)
        var targets: [String: StoredClass] = [:]
        switch classes {
        case .types(let types):
            for stored in try realm.storedClasses(types) { targets[stored.name] = stored }
        case .known, .all:
            let names = file.classes.map(\.definition.name)
            for name in names { targets[name] = try realm.storedClass(named: name) }
            guard case .all = classes else { break }
            let unknown = file.classes.map(\.definition).filter { targets[$0.name] == nil }
            try realm.define(unknown)
            for definition in unknown {
                targets[definition.name] = try realm.storedClass(named: definition.name)
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
