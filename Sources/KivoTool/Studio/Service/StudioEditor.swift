#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine

/// An editor of the file: each edit is one transaction, and can be undone.
///
/// An edit carries the value that it was made on. If the file has another one by now, nothing is written.
final class StudioEditor: @unchecked Sendable {
    // Proof of `Sendable`: the members are used on the service's queue only.

    /// The change that undoes an edit.
    private enum Inverse {
        case set(name: String, key: ObjectKey, property: String, to: StoredValue, from: StoredValue)
        case delete(name: String, key: ObjectKey, values: [StoredValue])
        case restore([DeletedObject], [Reference])
    }

    /// An object that was deleted, with its values.
    private struct DeletedObject {
        var name: String
        var key: ObjectKey
        var values: [(name: String, value: StoredValue)]
    }

    /// A value that led to deleted objects, before and after.
    private struct Reference {
        var name: String
        var key: ObjectKey
        var property: String
        var before: StoredValue
        var after: StoredValue
    }

    private let path: String
    /// The edits that can be undone, of each tab of the browser: one does not undo what another did.
    private var inverses: [String: [[Inverse]]] = [:]
    /// The generation of the file to which the edits were made that can be undone.
    private var generation = 0
    private static let (largestUndo, largestTabCount) = (100, 64)

    init(_ path: String) { self.path = path }

    /// Forgets the edits of before if the properties of classes changed since: values of the old columns cannot be assigned.
    func begin(_ generation: Int) {
        if generation == self.generation { return }
        (self.generation, inverses) = (generation, [:])
    }

    /// Returns the number of edits of a tab that can be undone.
    func undoCount(of tab: String) -> Int { inverses[tab]?.count ?? 0 }

    /// Carries out the edits of a request in one transaction. Returns the keys of the created objects.
    ///
    /// - Throws: ``EditProblem``; nothing is written then.
    func perform(_ edits: [StudioEdit], of tab: String, on queue: DispatchQueue, schemaVersion: UInt64)
        throws -> [ObjectKey]
    {
        var created: [ObjectKey] = []
        let undo = try write(queue, schemaVersion) { transaction in
            var undo: [Inverse] = []
            for edit in edits {
                switch edit {
                case .set(let name, let key, let property, let new, let was):
                    undo.append(try set(name, key, property, new, was, transaction))
                case .create(let name, let values):
                    let key = try create(name, values, transaction)
                    created.append(key)
                    let some = try StudioEditor.some(name, transaction)
                    undo.append(
                        .delete(name: name, key: key, values: StudioEditor.values(of: key, some, transaction))
                    )
                case .delete(let name, let keys): undo.append(try delete(name, keys, transaction))
                }
            }
            return undo
        }
        if inverses[tab] == nil, inverses.count >= StudioEditor.largestTabCount { inverses.removeAll() }
        inverses[tab, default: []].append(undo)
        if inverses[tab]!.count > StudioEditor.largestUndo { inverses[tab]!.removeFirst() }
        return created
    }

    /// Undoes the last edit of a tab. Returns the number of links that could not be restored, because the objects that they led to were
    /// deleted since; returns nil if there is no edit.
    ///
    /// - Throws: ``EditProblem`` if something else changed the values since. Nothing is written then, and the edit stays.
    func undo(of tab: String, on queue: DispatchQueue, schemaVersion: UInt64) throws -> Int? {
        guard let undo = inverses[tab]?.last else { return nil }
        var missing = 0
        _ = try write(queue, schemaVersion) { transaction in
            for step in undo.reversed() { missing += try perform(step, transaction) }
            return []
        }
        inverses[tab]!.removeLast()
        return missing
    }

    private func write(
        _ queue: DispatchQueue, _ schemaVersion: UInt64, _ body: (WriteTransaction) throws -> [Inverse]
    ) throws -> [Inverse] {
        // Opening would create it.
        guard FileManager.default.fileExists(atPath: path) else { throw EditProblem.noFile }
        // Closed again, so that other programs can compact or migrate the file between two edits.
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), schemaVersion: schemaVersion, objectTypes: [])
        let realm = try Realm(configuration: configuration, queue: queue)
        realm.autorefresh = false
        defer { realm.invalidate() }
        return try realm.write { try body(realm.inspectedTransaction) }
    }

    // MARK: Edits

    private static func some(_ name: String, _ transaction: WriteTransaction) throws -> StoredClass {
        guard let table = transaction.catalog.table(named: name),
            transaction.catalog.tables[table].container == nil
        else { throw EditProblem(.gone, "The file has no class '\(name)'.") }
        return StoredClass(table, transaction.catalog)
    }

    private static func stored(_ transaction: WriteTransaction) -> StoredValues {
        StoredValues(transaction.snapshot, transaction.catalog)
    }

    private static func values(
        of key: ObjectKey, _ some: StoredClass, _ transaction: WriteTransaction
    ) -> [StoredValue] {
        some.properties.map { stored(transaction).value($0, some.table, key) }
    }

    private func set(
        _ name: String, _ key: ObjectKey, _ propertyName: String, _ new: StudioEdit.Value,
        _ was: StudioEdit.Known, _ transaction: WriteTransaction
    ) throws -> Inverse {
        let some = try StudioEditor.some(name, transaction)
        guard transaction.table(some.table).contains(key) else {
            throw EditProblem(.gone, "\(name) \(key) was deleted meanwhile.", property: propertyName)
        }
        let property = try some.editable(propertyName, transaction.catalog)
        let before = StudioEditor.stored(transaction).value(property, some.table, key)
        guard StudioEditor.isSame(was, before, property, some, key, transaction) else {
            throw EditProblem(
                .conflict, "Another process changed '\(propertyName)' meanwhile. Nothing was overwritten.",
                property: propertyName, theirs: before)
        }
        try assign(try new.json(for: property, of: some), key, property, some, transaction)
        let after = StudioEditor.stored(transaction).value(property, some.table, key)
        return .set(name: name, key: key, property: propertyName, to: before, from: after)
    }

    private func assign(
        _ json: JSONValue, _ key: ObjectKey, _ property: StoredClass.Property, _ some: StoredClass,
        _ transaction: WriteTransaction
    ) throws {
        var writer = ValueReader(transaction: transaction, line: nil, replaces: true)
        do {
            try writer.set([(property.name, json)], key, some) { _ in true }
        } catch let problem as Problem {
            throw EditProblem(.invalid, problem.message + ".", property: property.name)
        }
    }

    /// Whether the value that the page knew is the current one.
    private static func isSame(
        _ was: StudioEdit.Known, _ value: StoredValue, _ property: StoredClass.Property, _ some: StoredClass,
        _ key: ObjectKey, _ transaction: WriteTransaction
    ) -> Bool {
        switch was {
        case .hash(let hash): return hash == value.fingerprint
        case .value(let was):
            if was.isSame(as: JSONValue(value.json.utf8)!) { return true }
            // The first elements say nothing of the others.
            if value.isCollection { return false }
            return [ValueLimits.cell, .whole].contains { limits in
                var text = JSONText()
                stored(transaction).write(property, some.table, key, limits, to: &text)
                return JSONValue(text.text.utf8).map(was.isSame) ?? false
            }
        }
    }

    private func create(
        _ name: String, _ values: [(name: String, value: StudioEdit.Value)], _ transaction: WriteTransaction
    ) throws -> ObjectKey {
        let some = try StudioEditor.some(name, transaction)
        if some.isEmbedded {
            throw EditProblem(
                .invalid, "Objects of class '\(name)' belong to others, and are made with them.")
        }
        let primary = some.properties.first { $0.spec.isPrimaryKey }
        let json = try values.map { value -> (name: String, value: JSONValue) in
            guard let property = some.properties.first(where: { $0.name == value.name }) else {
                throw EditProblem(
                    .invalid, "Class '\(name)' has no property '\(value.name)'.", property: value.name)
            }
            return (value.name, try value.value.json(for: property, of: some))
        }
        if let primary, !json.contains(where: { $0.name == primary.name }) {
            throw EditProblem(
                .invalid, "A new object needs its primary key '\(primary.name)'.", property: primary.name)
        }
        let key = transaction.insert(into: some.table)
        for (name, value) in json {
            try assign(value, key, some.properties.first { $0.name == name }!, some, transaction)
        }
        do {
            try ImportedObjects(transaction).checkPrimaryKey(of: key, some.table)
        } catch {
            throw EditProblem(
                .invalid, "There is an object with this primary key already.", property: primary?.name)
        }
        return key
    }

    private func delete(_ name: String, _ keys: [ObjectKey], _ transaction: WriteTransaction) throws
        -> Inverse
    {
        let some = try StudioEditor.some(name, transaction)
        if some.isEmbedded { throw EditProblem(.invalid, "Objects of class '\(name)' belong to others.") }
        guard keys.allSatisfy({ transaction.table(some.table).contains($0) }) else {
            throw EditProblem(.gone, "An object was deleted meanwhile.")
        }
        let closure = transaction.deletionClosure(keys, some.table)
            .filter { transaction.catalog.tables[$0.table].container == nil }
        let dying = Set(closure.map { RowID(table: $0.table, key: $0.key) })
        let deleted = closure.map { row in
            let some = StoredClass(row.table, transaction.catalog)
            return DeletedObject(
                name: some.name, key: row.key,
                values: some.properties.map {
                    ($0.name, StudioEditor.stored(transaction).value($0, row.table, row.key))
                })
        }
        var references: [Reference] = []
        for row in closure { add(&references, to: row.key, row.table, except: dying, transaction) }
        transaction.delete(keys, from: some.table)
        for index in references.indices {
            let origin = try StudioEditor.some(references[index].name, transaction)
            let property = origin.properties.first { $0.name == references[index].property }!
            references[index].after = StudioEditor.stored(transaction).value(
                property, origin.table, references[index].key)
        }
        return .restore(deleted, references)
    }

    /// Adds the values of other objects that lead to an object.
    private func add(
        _ references: inout [Reference], to key: ObjectKey, _ table: TableID, except dying: Set<RowID>,
        _ transaction: WriteTransaction
    ) {
        let catalog = transaction.catalog
        for origins in catalog.tables[table].incoming where catalog.tables[origins.table].container == nil {
            let origin = StoredClass(origins.table, catalog)
            guard let property = origin.property(column: origins.column) else { continue }
            for other in Set(transaction.snapshot.backlinks(origins.backlinks, of: key).keys)
            where !dying.contains(RowID(table: origins.table, key: other))
                && !references.contains(where: {
                    $0.name == origin.name && $0.key == other && $0.property == property.name
                })
            {
                let value = StudioEditor.stored(transaction).value(property, origins.table, other)
                references.append(
                    Reference(
                        name: origin.name, key: other, property: property.name, before: value, after: value))
            }
        }
    }

    // MARK: Undoing

    /// Undoes a part of an edit. Returns the number of links that could not be restored.
    private func perform(_ step: Inverse, _ transaction: WriteTransaction) throws -> Int {
        switch step {
        case .set(let name, let key, let propertyName, let old, let new):
            let some = try StudioEditor.some(name, transaction)
            guard transaction.table(some.table).contains(key) else {
                throw EditProblem(.gone, "\(name) \(key) was deleted meanwhile.")
            }
            let property = try some.editable(propertyName, transaction.catalog)
            let current = StudioEditor.stored(transaction).value(property, some.table, key)
            guard current == new else {
                throw EditProblem(
                    .conflict, "'\(propertyName)' was changed again meanwhile. Nothing was undone.",
                    property: propertyName, theirs: current)
            }
            return try restore(old, [:], key, property, some, transaction)
        case .delete(let name, let key, let values):
            let some = try StudioEditor.some(name, transaction)
            guard transaction.table(some.table).contains(key) else { return 0 }
            guard StudioEditor.values(of: key, some, transaction) == values else {
                throw EditProblem(.conflict, "The new object was changed meanwhile. Nothing was undone.")
            }
            transaction.delete([key], from: some.table)
            return 0
        case .restore(let objects, let references): return try restore(objects, references, transaction)
        }
    }

    /// Inserts deleted objects again, under new keys, and lets the values that led to them lead there. Returns the number of links
    /// that could not be restored.
    private func restore(
        _ objects: [DeletedObject], _ references: [Reference], _ transaction: WriteTransaction
    ) throws -> Int {
        var missing = 0
        var keys: [String: [ObjectKey: ObjectKey]] = [:]
        for object in objects {
            let some = try StudioEditor.some(object.name, transaction)
            keys[object.name, default: [:]][object.key] = transaction.insert(into: some.table)
        }
        for object in objects {
            let some = try StudioEditor.some(object.name, transaction)
            let key = keys[object.name]![object.key]!
            for (name, value) in object.values {
                guard let property = some.properties.first(where: { $0.name == name }) else { continue }
                missing += try restore(value, keys, key, property, some, transaction)
            }
            do {
                try ImportedObjects(transaction).checkPrimaryKey(of: key, some.table)
            } catch {
                throw EditProblem(
                    .conflict,
                    "An object of class '\(some.name)' with the same primary key was made meanwhile. Nothing was undone."
                )
            }
        }
        for reference in references {
            let some = try StudioEditor.some(reference.name, transaction)
            guard transaction.table(some.table).contains(reference.key),
                let property = some.properties.first(where: { $0.name == reference.property }),
                StudioEditor.stored(transaction).value(property, some.table, reference.key) == reference.after
            else { continue }
            missing += try restore(reference.before, keys, reference.key, property, some, transaction)
        }
        return missing
    }

    /// Assigns a value of before an edit, with the new keys of restored objects and without links to objects that are gone. Returns
    /// the number of these.
    private func restore(
        _ value: StoredValue, _ keys: [String: [ObjectKey: ObjectKey]], _ key: ObjectKey,
        _ property: StoredClass.Property, _ some: StoredClass, _ transaction: WriteTransaction
    ) throws -> Int {
        var missing = 0
        let value = value.mappingLinks { name, key in
            if let restored = keys[name]?[key] { return restored }
            if let table = transaction.catalog.table(named: name), transaction.table(table).contains(key) {
                return key
            }
            missing += 1
            return nil
        }
        try assign(JSONValue(value.json.utf8)!, key, property, some, transaction)
        return missing
    }
}

extension StoredClass {
    /// Returns a property whose values can be set.
    fileprivate func editable(_ name: String, _ catalog: Catalog) throws -> Property {
        guard let property = properties.first(where: { $0.name == name }) else {
            throw EditProblem(.invalid, "Class '\(self.name)' has no property '\(name)'.", property: name)
        }
        if property.spec.isPrimaryKey {
            throw EditProblem(.invalid, "A primary key stays as it is.", property: name)
        }
        if let target = property.spec.target, catalog.tables[target].isEmbedded {
            throw EditProblem(
                .invalid, "Embedded objects belong to this property: edit their values.", property: name)
        }
        return property
    }
}

extension StoredValue {
    /// Returns the value with other keys of objects. Links whose key becomes nil are null, and elements of lists are left out.
    fileprivate func mappingLinks(_ map: (String, ObjectKey) -> ObjectKey?) -> StoredValue {
        switch self {
        case .link(let name, let key): return map(name, key).map { .link(name, $0) } ?? .null
        case .list(let values):
            return .list(
                values.compactMap { value in
                    let mapped = value.mappingLinks(map)
                    if case .link = value, mapped == .null { return nil }
                    return mapped
                })
        case .map(let entries):
            return .map(entries.map { Entry(key: $0.key, value: $0.value.mappingLinks(map)) })
        case .any(let value): return .any(value.mappingLinks(map))
        case .null, .bool, .int, .float, .double, .string, .data, .date, .decimal, .objectId, .uuid, .unknown:
            return self
        }
    }
}
#endif
