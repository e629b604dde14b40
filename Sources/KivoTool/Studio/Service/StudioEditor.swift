#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine

/// An editor of the file: each edit is one transaction, and can be undone.
///
/// An edit carries the value that it was made on. If the file has another one by now, nothing is written.
final class StudioEditor: @unchecked Sendable {
    // Proof of `Sendable`: the members are used on the service's queue only.

    private let path: String
    /// The edits that can be undone and done again, of each tab of the browser: one does not undo what another did.
    private var stacks: [String: Stacks] = [:]
    /// The largest primary keys of classes in which the open transaction has made some.
    private var largestKeys: [TableID: Int] = [:]
    /// The generation of the file to which the edits were made that can be undone.
    private var generation = 0
    private static let (largestUndo, largestTabCount) = (100, 64)

    private struct Stacks {
        var undo: [[Inverse]] = []
        var redo: [[Inverse]] = []
    }

    /// The number of edits of a tab that can be undone and done again.
    struct Counts {
        var undo = 0
        var redo = 0
    }

    init(_ path: String) { self.path = path }

    /// Forgets the edits of before if the properties of classes changed since: values of the old columns cannot be assigned.
    func begin(_ generation: Int) {
        if generation == self.generation { return }
        (self.generation, stacks) = (generation, [:])
    }

    func counts(of tab: String) -> Counts {
        Counts(undo: stacks[tab]?.undo.count ?? 0, redo: stacks[tab]?.redo.count ?? 0)
    }

    /// Carries out the edits of a request in one transaction. Returns the keys of the created objects.
    ///
    /// - Throws: ``EditProblem``; nothing is written then.
    func perform(_ edits: [StudioEdit], of tab: String, on queue: DispatchQueue, schemaVersion: UInt64)
        throws -> [ObjectKey]
    {
        var created: [ObjectKey] = []
        let undo = try write(queue, schemaVersion, label: nil) { transaction in
            try edits.map { try perform($0, transaction, &created) }
        }
        if stacks[tab] == nil, stacks.count >= StudioEditor.largestTabCount { stacks.removeAll() }
        stacks[tab, default: Stacks()].undo.append(undo)
        stacks[tab]!.redo = []
        if stacks[tab]!.undo.count > StudioEditor.largestUndo { stacks[tab]!.undo.removeFirst() }
        return created
    }

    private func perform(
        _ edit: StudioEdit, _ transaction: WriteTransaction, _ created: inout [ObjectKey]
    ) throws -> Inverse {
        switch edit {
        case .set(let name, let key, let property, let new, let was):
            return try set(name, key, property, new, was, transaction)
        case .create(let name, let values):
            let key = try create(name, values, transaction)
            created.append(key)
            return try StudioEditor.removal(of: key, name, transaction)
        case .duplicate(let name, let key):
            let (copy, removal) = try duplicate(name, key, transaction)
            created.append(copy)
            return removal
        case .delete(let name, let keys): return try delete(name, keys, transaction)
        }
    }

    /// Undoes the last edit of a tab, or does again the last one that was undone. Returns the number of links that could not be restored,
    /// because the objects that they led to were deleted since; returns nil if there is no edit.
    ///
    /// - Throws: ``EditProblem`` if something else changed the values since. Nothing is written then, and the edit stays.
    func undo(of tab: String, isRedo: Bool, on queue: DispatchQueue, schemaVersion: UInt64) throws -> Int? {
        let (from, to) = isRedo ? (\Stacks.redo, \Stacks.undo) : (\Stacks.undo, \Stacks.redo)
        guard let steps = stacks[tab]?[keyPath: from].last else { return nil }
        var restoration = Restoration()
        let inverse = try write(queue, schemaVersion, label: isRedo ? "Redo" : "Undo") { transaction in
            var done: [Inverse] = []
            for step in steps.reversed() {
                // Objects that were inserted again have other keys.
                done += try perform(step.renumbered(restoration.keys), transaction, &restoration)
            }
            return done
        }
        stacks[tab]![keyPath: from].removeLast()
        let renumber = { (edits: [[Inverse]]) in edits.map { $0.map { $0.renumbered(restoration.keys) } } }
        stacks = stacks.mapValues { Stacks(undo: renumber($0.undo), redo: renumber($0.redo)) }
        stacks[tab]![keyPath: to].append(inverse)
        return restoration.missing
    }

    private func write(
        _ queue: DispatchQueue, _ schemaVersion: UInt64, label: String?,
        _ body: (WriteTransaction) throws -> [Inverse]
    ) throws -> [Inverse] {
        // Opening would create it.
        guard FileManager.default.fileExists(atPath: path) else { throw EditProblem.noFile }
        // Closed again, so that other programs can compact or migrate the file between two edits.
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), schemaVersion: schemaVersion, objectTypes: [])
        let realm = try Realm(configuration: configuration, queue: queue)
        realm.autorefresh = false
        largestKeys = [:]
        defer { realm.invalidate() }
        return try realm.write {
            realm.labelWrite(label, author: "kivo studio")
            return try body(realm.inspectedTransaction)
        }
    }

    // MARK: Edits

    static func some(_ name: String, _ transaction: WriteTransaction) throws -> StoredClass {
        guard let table = transaction.catalog.table(named: name),
            transaction.catalog.tables[table].container == nil
        else { throw EditProblem(.gone, "The file has no class '\(name)'.") }
        return StoredClass(table, transaction.catalog)
    }

    static func stored(_ transaction: WriteTransaction) -> StoredValues {
        StoredValues(transaction.snapshot, transaction.catalog)
    }

    static func values(
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

    func assign(
        _ json: JSONValue, _ key: ObjectKey, _ property: TableProperty, _ some: StoredClass,
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
        _ was: StudioEdit.Known, _ value: StoredValue, _ property: TableProperty, _ some: StoredClass,
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
        let key = transaction.insert(into: some.table)
        if let primary, !json.contains(where: { $0.name == primary.name }) {
            guard let value = freshValue(of: primary, some, transaction) else {
                throw EditProblem(
                    .invalid, "A new object needs its primary key '\(primary.name)'.", property: primary.name)
            }
            try assign(JSONValue(value.json.utf8)!, key, primary, some, transaction)
        } else {
            // It may be larger than those of before.
            largestKeys[some.table] = nil
        }
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

    /// Inserts an object with the values of another one, copies of what belongs to it, and a primary key of its own. Returns its key,
    /// and what removes it again.
    private func duplicate(
        _ name: String, _ key: ObjectKey, _ transaction: WriteTransaction
    ) throws -> (ObjectKey, Inverse) {
        let some = try StudioEditor.some(name, transaction)
        if some.isEmbedded { throw EditProblem(.invalid, "Objects of class '\(name)' belong to others.") }
        guard transaction.table(some.table).contains(key) else {
            throw EditProblem(.gone, "\(name) \(key) was deleted meanwhile.")
        }
        var objects = StudioEditor.objects(
            StudioEditor.owned(by: [key], some.table, transaction), transaction)
        if let primary = some.properties.first(where: { $0.spec.isPrimaryKey }),
            let own = objects.firstIndex(where: { $0.name == name && $0.key == key }),
            let index = objects[own].values.firstIndex(where: { $0.name == primary.name })
        {
            let old = objects[own].values[index].value
            objects[own].values[index].value =
                freshValue(of: primary, some, transaction, like: old) ?? old
        }
        var restoration = Restoration()
        let removals = try restore(objects, [], transaction, &restoration)
        return (restoration.keys[name]![key]!, removals[0])
    }

    /// Returns a value of a primary key that no object has; nil if a person has to choose one.
    private func freshValue(
        of primary: TableProperty, _ some: StoredClass, _ transaction: WriteTransaction,
        like old: StoredValue = .null
    ) -> StoredValue? {
        switch (ScalarType(rawValue: primary.spec.typeCode), old) {
        case (.int?, _), (.int64?, _):
            let largest = largestKeys[some.table] ?? StudioEditor.largestKey(primary, some, transaction)
            guard largest < .max else { return nil }
            largestKeys[some.table] = largest + 1
            return .int(largest + 1)
        case (.uuid?, _): return .uuid(UUID())
        case (.objectId?, _): return .objectId(ObjectId.generate())
        case (.string?, .string(let text)):
            let copies = (1...).lazy.map { text + ($0 == 1 ? " copy" : " copy \($0)") }
            return copies.first { copy in
                transaction.table(some.table).keys(
                    where: primary.column, equals: .string(copy), transaction.catalog.tables[some.table]
                ).isEmpty
            }.map { .string($0) }
        default: return nil
        }
    }

    /// Returns the largest number that is a primary key. O(objects).
    private static func largestKey(
        _ primary: TableProperty, _ some: StoredClass, _ transaction: WriteTransaction
    ) -> Int {
        var largest = 0
        let values = stored(transaction)
        transaction.table(some.table).forEachKey { key in
            if case .int(let value) = values.value(primary, some.table, key) { largest = max(largest, value) }
        }
        return largest
    }

    /// The edit that removes a new object again, unless it was changed.
    static func removal(of key: ObjectKey, _ name: String, _ transaction: WriteTransaction) throws -> Inverse
    {
        let some = try StudioEditor.some(name, transaction)
        return .delete(name: name, key: key, values: values(of: key, some, transaction))
    }

    func delete(_ name: String, _ keys: [ObjectKey], _ transaction: WriteTransaction) throws -> Inverse {
        let some = try StudioEditor.some(name, transaction)
        if some.isEmbedded { throw EditProblem(.invalid, "Objects of class '\(name)' belong to others.") }
        guard keys.allSatisfy({ transaction.table(some.table).contains($0) }) else {
            throw EditProblem(.gone, "An object was deleted meanwhile.")
        }
        let closure = StudioEditor.owned(by: keys, some.table, transaction)
        let dying = Set(closure.map { RowID(table: $0.table, key: $0.key) })
        let deleted = StudioEditor.objects(closure, transaction)
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

    /// Returns objects and what belongs to them. Lists and dictionaries of values of type any are parts of these values.
    private static func owned(
        by keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction
    ) -> [(table: TableID, key: ObjectKey)] {
        transaction.deletionClosure(keys, table).filter {
            transaction.catalog.tables[$0.table].container == nil
        }
    }

    /// Returns objects with their values.
    private static func objects(
        _ rows: [(table: TableID, key: ObjectKey)], _ transaction: WriteTransaction
    ) -> [DeletedObject] {
        rows.map { row in
            let some = StoredClass(row.table, transaction.catalog)
            return DeletedObject(
                name: some.name, key: row.key,
                values: some.properties.map {
                    ($0.name, stored(transaction).value($0, row.table, row.key))
                })
        }
    }

    /// Adds the values of other objects that lead to an object.
    private func add(
        _ references: inout [Reference], to key: ObjectKey, _ table: TableID, except dying: Set<RowID>,
        _ transaction: WriteTransaction
    ) {
        let catalog = transaction.catalog
        for origins in catalog.tables[table].incoming where catalog.tables[origins.table].container == nil {
            let origin = StoredClass(origins.table, catalog)
            guard let property = origin.properties.owner(ofColumn: origins.column) else { continue }
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
}

extension StoredClass {
    /// Returns a property whose values can be set.
    func editable(_ name: String, _ catalog: Catalog) throws -> TableProperty {
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
#endif
