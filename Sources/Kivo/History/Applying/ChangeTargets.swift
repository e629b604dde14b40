import Foundation
import KivoEngine

/// The classes and objects of a realm to which the names and identities of a change set lead. Confined to one application, in an open
/// write.
final class ChangeTargets {
    private let realm: Realm
    let writer: RowWriter
    /// Whether keys of objects without a primary key mean the same in this realm.
    let sharesKeys: Bool
    private var classes: [String: RowClass] = [:]
    /// The objects that the change set inserts; 0 until they are.
    var inserted: [ChangeSet.ObjectID: ObjectKey] = [:]

    init(_ realm: Realm, _ changes: ChangeSet, sharesKeys: Bool) {
        self.realm = realm
        writer = realm.rowWriter()
        self.sharesKeys =
            sharesKeys || changes.lineage != 0 && changes.lineage == realm.instance.store.lineage
        for change in changes.all where change.kind == .inserted { inserted[change.object] = 0 }
    }

    /// Returns the error of a change set that does not fit the classes of the realm.
    func misfit(_ what: String) -> Realm.Error {
        Realm.Error(
            .invalidInput, "The change set cannot be applied to this realm: \(what).",
            fileURL: realm.configuration.fileURL)
    }

    // MARK: Classes

    func stored(_ name: String) throws -> RowClass {
        if let stored = classes[name] { return stored }
        guard let stored = try realm.rowClass(named: name) else {
            throw misfit("it has no class '\(name)'")
        }
        classes[name] = stored
        return stored
    }

    /// Returns the property with a stored name.
    func property(_ name: String, _ stored: RowClass) -> RowProperty? {
        stored.properties.first { $0.columnName == name }
    }

    /// Returns the class of the objects that a property links to.
    func target(of property: RowProperty, _ stored: RowClass) -> RowClass {
        let context = stored.context.target(of: property.info)
        if let known = classes[context.info.name] { return known }
        let target = RowClass(context)
        classes[context.info.name] = target
        return target
    }

    // MARK: Objects

    /// Returns the key of an object that exists; nil if it does not.
    func existing(_ object: ChangeSet.ObjectID, _ stored: RowClass) throws -> ObjectKey? {
        guard let property = stored.primaryKey else {
            guard object.primaryKey == nil, sharesKeys else { return nil }
            return writer.contains(RowID(table: stored.table, key: object.key)) ? object.key : nil
        }
        guard let cell = object.primaryKey?.cell(of: property) else { return nil }
        return writer.key(of: cell, stored)
    }

    /// Returns the row to which a link leads; nil if it does not exist.
    func row(of object: ChangeSet.ObjectID) throws -> RowID? {
        let stored = try stored(object.className)
        if let key = inserted[object], key != 0 {
            let row = RowID(table: stored.table, key: key)
            // An observer may have deleted it.
            return writer.contains(row) ? row : nil
        }
        return try existing(object, stored).map { RowID(table: stored.table, key: $0) }
    }

    /// Returns the links within a value that lead to objects that neither exist nor are inserted.
    func missing(in value: ChangeSet.Value) throws -> [ChangeSet.Value] {
        switch value {
        case .object(let object):
            if inserted[object] != nil { return [] }
            return try row(of: object) == nil ? [value] : []
        case .embedded(let properties): return try properties.values.flatMap(missing)
        case .list(let values): return try values.flatMap(missing)
        case .set(let values): return try values.flatMap(missing)
        case .dictionary(let entries): return try entries.map(\.value).flatMap(missing)
        default: return []
        }
    }

    // MARK: Values

    /// Returns whether a property can have a value.
    func fits(_ value: ChangeSet.Value, _ property: RowProperty, _ stored: RowClass) -> Bool {
        switch (property.collection, value) {
        case (.none, _): fits(element: value, property, stored)
        case (.list, .list(let values)): values.allSatisfy { fits(element: $0, property, stored) }
        case (.set, .set(let values)): values.allSatisfy { fits(element: $0, property, stored) }
        case (.map, .dictionary(let entries)):
            entries.allSatisfy { RowWriter.isMapKey($0.key) && fits(element: $0.value, property, stored) }
        default: false
        }
    }

    /// Returns whether a single value fits a property, or an element its collection.
    func fits(element value: ChangeSet.Value, _ property: RowProperty, _ stored: RowClass) -> Bool {
        switch (property.scalar, value) {
        case (.any, _): return fitsAny(value)
        case (.some, _): return value.cell(of: property) != nil
        case (nil, .null): return property.collection == .none || property.collection == .map
        case (nil, .object(let object)):
            let target = target(of: property, stored)
            return !target.isEmbedded && object.className == target.name && fitsIdentity(object, target)
        case (nil, .embedded(let properties)):
            let target = target(of: property, stored)
            return target.isEmbedded
                && properties.allSatisfy { name, value in
                    self.property(name, target).map { fits(value, $0, target) } ?? false
                }
        default: return false
        }
    }

    /// Returns whether a class has objects with such identities.
    func fitsIdentity(_ object: ChangeSet.ObjectID, _ stored: RowClass) -> Bool {
        guard let property = stored.primaryKey else { return object.primaryKey == nil }
        return object.primaryKey?.cell(of: property) != nil
    }

    private func fitsAny(_ value: ChangeSet.Value) -> Bool {
        switch value {
        case .embedded, .set: return false
        case .object(let object):
            guard let target = try? stored(object.className) else { return false }
            return !target.isEmbedded && fitsIdentity(object, target)
        case .list(let values): return values.allSatisfy(fitsAny)
        case .dictionary(let entries):
            return entries.allSatisfy { RowWriter.isMapKey($0.key) && fitsAny($0.value) }
        default: return true
        }
    }
}

extension ChangeSet.Value {
    /// The cell of a value that is stored whole; nil if the property is of another type.
    func cell(of property: RowProperty) -> Cell? {
        switch (property.scalar, self) {
        case (_, .null): return property.isOptional ? .null : nil
        case (.bool, .bool(let value)): return value.cell
        case (.int, .int(let value)), (.int64, .int(let value)): return value.cell
        case (.int8, .int(let value)): return Int8(exactly: value)?.cell
        case (.int16, .int(let value)): return Int16(exactly: value)?.cell
        case (.int32, .int(let value)): return Int32(exactly: value)?.cell
        case (.float, .float(let value)): return value.cell
        case (.double, .double(let value)): return value.cell
        case (.string, .string(let value)): return value.cell
        case (.data, .data(let value)): return value.cell
        case (.date, .date(let value)): return value.cell
        case (.uuid, .uuid(let value)): return value.cell
        case (.objectId, .objectId(let value)): return value.cell
        case (.decimal128, .decimal128(let value)): return value.cell
        default: return nil
        }
    }

    /// The cell of a plain value in a property of any type; nil for objects, lists and dictionaries.
    var anyCell: Cell? {
        let value: AnyRealmValue? =
            switch self {
            case .null: AnyRealmValue.none
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .float(let value): .float(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .data(let value): .data(value)
            case .date(let value): .date(value)
            case .uuid(let value): .uuid(value)
            case .objectId(let value): .objectId(value)
            case .decimal128(let value): .decimal128(value)
            case .object, .embedded, .list, .set, .dictionary: nil
            }
        return value?.plainCell
    }
}
