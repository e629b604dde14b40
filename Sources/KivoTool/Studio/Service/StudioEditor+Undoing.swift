#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Kivo
import KivoEngine

extension StudioEditor {
    /// The change that undoes an edit.
    enum Inverse {
        case set(name: String, key: ObjectKey, property: String, to: StoredValue, from: StoredValue)
        case delete(name: String, key: ObjectKey, values: [StoredValue])
        case restore([DeletedObject], [Reference])

        /// Returns the change for objects that have other keys now.
        func renumbered(_ keys: [String: [ObjectKey: ObjectKey]]) -> Inverse {
            let map = { (name: String, key: ObjectKey) -> ObjectKey? in keys[name]?[key] ?? key }
            switch self {
            case .set(let name, let key, let property, let to, let from):
                return .set(
                    name: name, key: map(name, key)!, property: property, to: to.mappingLinks(map),
                    from: from.mappingLinks(map))
            case .delete(let name, let key, let values):
                return .delete(
                    name: name, key: map(name, key)!, values: values.map { $0.mappingLinks(map) })
            case .restore(let objects, let references):
                return .restore(
                    objects.map { object in
                        DeletedObject(
                            name: object.name, key: object.key,
                            values: object.values.map { ($0.name, $0.value.mappingLinks(map)) })
                    },
                    references.map { some in
                        Reference(
                            name: some.name, key: map(some.name, some.key)!, property: some.property,
                            before: some.before.mappingLinks(map), after: some.after.mappingLinks(map))
                    })
            }
        }
    }

    /// An object that was deleted, with its values.
    struct DeletedObject {
        var name: String
        var key: ObjectKey
        var values: [(name: String, value: StoredValue)]
    }

    /// A value that led to deleted objects, before and after.
    struct Reference {
        var name: String
        var key: ObjectKey
        var property: String
        var before: StoredValue
        var after: StoredValue
    }

    /// The results of inserting objects again.
    struct Restoration {
        /// The new keys, by class and old key.
        var keys: [String: [ObjectKey: ObjectKey]] = [:]
        /// The number of links that could not be restored.
        var missing = 0
    }

    /// Undoes a part of an edit. Returns what does it again.
    func perform(
        _ step: Inverse, _ transaction: WriteTransaction, _ restoration: inout Restoration
    ) throws -> [Inverse] {
        switch step {
        case .set(let name, let key, let propertyName, let old, let new):
            let some = try StudioEditor.some(name, transaction)
            guard transaction.table(some.table).contains(key) else {
                throw EditProblem(.gone, "\(name) \(key) was deleted meanwhile.")
            }
            let property = try some.editable(propertyName, transaction.catalog)
            let current = StudioEditor.stored(transaction).value(property, some.table, key)
            guard current.isIdentical(to: new) else {
                throw EditProblem(
                    .conflict, "'\(propertyName)' was changed again meanwhile. Nothing was undone.",
                    property: propertyName, theirs: current)
            }
            try restore(old, key, property, some, transaction, &restoration)
            let restored = StudioEditor.stored(transaction).value(property, some.table, key)
            return [.set(name: name, key: key, property: propertyName, to: new, from: restored)]
        case .delete(let name, let key, let values):
            let some = try StudioEditor.some(name, transaction)
            guard transaction.table(some.table).contains(key) else { return [] }
            let current = StudioEditor.values(of: key, some, transaction)
            guard current.elementsEqual(values, by: { $0.isIdentical(to: $1) }) else {
                throw EditProblem(.conflict, "The new object was changed meanwhile. Nothing was undone.")
            }
            return [try delete(name, [key], transaction)]
        case .restore(let objects, let references):
            return try restore(objects, references, transaction, &restoration)
        }
    }

    /// Inserts deleted objects again, under new keys, and lets the values that led to them lead there. Returns what deletes them again.
    func restore(
        _ objects: [DeletedObject], _ references: [Reference], _ transaction: WriteTransaction,
        _ restoration: inout Restoration
    ) throws -> [Inverse] {
        for object in objects {
            let some = try StudioEditor.some(object.name, transaction)
            restoration.keys[object.name, default: [:]][object.key] = transaction.insert(into: some.table)
        }
        for object in objects {
            let some = try StudioEditor.some(object.name, transaction)
            let key = restoration.keys[object.name]![object.key]!
            for (name, value) in object.values {
                guard let property = some.properties.first(where: { $0.name == name }) else { continue }
                try restore(value, key, property, some, transaction, &restoration)
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
                StudioEditor.stored(transaction).value(property, some.table, reference.key)
                    .isIdentical(to: reference.after)
            else { continue }
            try restore(reference.before, reference.key, property, some, transaction, &restoration)
        }
        return try objects.compactMap { object in
            let some = try StudioEditor.some(object.name, transaction)
            if some.isEmbedded { return nil }
            return try StudioEditor.removal(
                of: restoration.keys[object.name]![object.key]!, object.name, transaction)
        }
    }

    /// Assigns a value of before an edit, with the new keys of restored objects and without links to objects that are gone.
    private func restore(
        _ value: StoredValue, _ key: ObjectKey, _ property: TableProperty, _ some: StoredClass,
        _ transaction: WriteTransaction, _ restoration: inout Restoration
    ) throws {
        let value = value.mappingLinks { name, key in
            if let restored = restoration.keys[name]?[key] { return restored }
            if let table = transaction.catalog.table(named: name), transaction.table(table).contains(key) {
                return key
            }
            restoration.missing += 1
            return nil
        }
        try assign(JSONValue(value.json.utf8)!, key, property, some, transaction)
    }
}

extension StoredValue {
    /// Whether two values have the same bits: NaN is identical to itself, and 0 not to -0.
    fileprivate func isIdentical(to other: StoredValue) -> Bool { json == other.json }

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
