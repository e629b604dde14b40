import Kivo
import KivoEngine
import KivoSchemaDrawing

/// The differences between the objects of two files, class by class.
struct FileDifference {
    private let (a, b): (Side, Side)
    /// The names of the classes of both files, ascending, without embedded classes.
    let classNames: [String]

    init(_ a: StoredFile, _ b: StoredFile) {
        (self.a, self.b) = (Side(a), Side(b))
        let classes = a.classes + b.classes
        classNames = Set(classes.filter { !$0.isEmbedded }.map(\.name)).sorted()
    }

    /// One of the files.
    private struct Side {
        let values: StoredValues
        /// The owner of the snapshot that `values` reads.
        private let file: StoredFile
        let classes: [String: StoredClass]
        let types: [String: String]

        init(_ file: StoredFile) {
            self.file = file
            values = file.values
            classes = Dictionary(uniqueKeysWithValues: file.classes.map { ($0.name, $0) })
            var types: [String: String] = [:]
            for some in SchemaOutline(file.history.catalog).classes {
                for property in some.properties {
                    types["\(some.name).\(property.name)"] = property.declaredType
                }
            }
            self.types = types
        }

        func table(_ some: StoredClass?) -> Table? { some.map { values.snapshot.table($0.table) } }

        func primaryKey(_ some: StoredClass) -> TableProperty? {
            some.properties.first { $0.spec.isPrimaryKey }
        }
    }

    /// The property by which objects of a class are identified in both files; nil if it is their keys.
    private func identity(_ name: String) -> String? {
        let (old, new) = (a.classes[name].flatMap(a.primaryKey), b.classes[name].flatMap(b.primaryKey))
        guard let old, let new, old.name == new.name, old.spec.typeCode == new.spec.typeCode else {
            return nil
        }
        return old.name
    }

    /// Returns the differences between the objects of a class. Reports the number of compared objects and of all.
    func change(ofClass name: String, _ progress: (Int, Int) -> Void) -> CommitChanges.ClassChange {
        var change = CommitChanges.ClassChange(name: name)
        let (old, new) = (a.classes[name], b.classes[name])
        let total = (a.table(old)?.count ?? 0) + (b.table(new)?.count ?? 0)
        var done = 0
        a.table(old)?.forEachKey { key in
            done += 1
            progress(done, total)
            guard let counterpart = counterpart(of: key, old!, a, new, b) else {
                return change.deleted.append(row(key, old!, a))
            }
            if let modification = modification(key, old!, counterpart, new!) {
                change.modified.append(modification)
            }
        }
        b.table(new)?.forEachKey { key in
            done += 1
            progress(done, total)
            if counterpart(of: key, new!, b, old, a) == nil { change.inserted.append(row(key, new!, b)) }
        }
        return change
    }

    /// Returns the key of the same object in the other file.
    private func counterpart(
        of key: ObjectKey, _ some: StoredClass, _ side: Side, _ other: StoredClass?, _ otherSide: Side
    ) -> ObjectKey? {
        guard let other, let table = otherSide.table(other) else { return nil }
        guard identity(some.name) != nil else { return table.contains(key) ? key : nil }
        let (own, counterpart) = (side.primaryKey(some)!, otherSide.primaryKey(other)!)
        let cell = side.table(some)!.cell(key, own.column, own.spec.kind)
        return table.keys(
            where: counterpart.column, equals: cell, otherSide.values.catalog.tables[other.table]
        ).first
    }

    private func modification(
        _ old: ObjectKey, _ oldClass: StoredClass, _ new: ObjectKey, _ newClass: StoredClass
    ) -> CommitChanges.Modification? {
        var modification = CommitChanges.Modification(key: new)
        for property in newClass.properties {
            let name = "\(newClass.name).\(property.name)"
            // Other types are differences of the classes.
            guard a.types[name] == b.types[name],
                let oldProperty = oldClass.properties.first(where: { $0.name == property.name })
            else { continue }
            let before = a.values.value(oldProperty, oldClass.table, old)
            let after = b.values.value(property, newClass.table, new)
            var parts = (before, after)
            if property.leadsToOthers { parts = (comparable(before, a), comparable(after, b)) }
            // The order of a set's objects is that of their keys.
            if property.collection == .set { parts = (parts.0.sorted, parts.1.sorted) }
            // NaN is not equal to itself, but has the same text.
            if parts.0 == parts.1 || parts.0.json == parts.1.json { continue }
            modification.values.append((property.name, shown(before, a), shown(after, b)))
        }
        return modification.values.isEmpty ? nil : modification
    }

    private func row(_ key: ObjectKey, _ some: StoredClass, _ side: Side) -> CommitChanges.Row {
        (key, some.properties.map { ($0.name, shown(side.values.value($0, some.table, key), side)) })
    }

    /// Returns a value with embedded objects in place of the links to them.
    private func shown(_ value: StoredValue, _ side: Side) -> StoredValue {
        mapped(value, side) { link, _ in link }
    }

    /// Returns a value that equals that of the other file if both mean the same.
    private func comparable(_ value: StoredValue, _ side: Side) -> StoredValue {
        mapped(value, side) { link, some in
            guard case .link(let name, let key) = link, identity(name) != nil else { return link }
            let id = side.values.value(side.primaryKey(some)!, some.table, key)
            return .list([.string(name), id])
        }
    }

    private func mapped(
        _ value: StoredValue, _ side: Side, _ link: (StoredValue, StoredClass) -> StoredValue
    ) -> StoredValue {
        switch value {
        case .link(let name, let key):
            guard let some = side.classes[name] else { return value }
            guard some.isEmbedded else { return link(value, some) }
            return .map(
                some.properties.map { property in
                    let part = side.values.value(property, some.table, key)
                    return StoredValue.Entry(key: property.name, value: mapped(part, side, link))
                })
        case .list(let values): return .list(values.map { mapped($0, side, link) })
        case .map(let entries):
            return .map(
                entries.map { StoredValue.Entry(key: $0.key, value: mapped($0.value, side, link)) })
        case .any(let value): return .any(mapped(value, side, link))
        case .null, .bool, .int, .float, .double, .string, .data, .date, .decimal, .objectId, .uuid, .unknown:
            return value
        }
    }
}

extension StoredValue {
    fileprivate var sorted: StoredValue {
        guard case .list(let values) = self else { return self }
        return .list(values.map { (text: $0.json, value: $0) }.sorted { $0.text < $1.text }.map(\.value))
    }
}
