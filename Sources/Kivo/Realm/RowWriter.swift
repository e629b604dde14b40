import KivoEngine

/// A writer of rows in an open transaction, by their cells and without objects, to import data.
///
/// Observers are notified as of any other write. Confined with the realm instance and to the transaction: calls trap after its
/// end.
package final class RowWriter {
    private let instance: RealmInstance
    /// The open transaction. Changes that are made directly through it do not notify the observers of existing rows.
    package let transaction: WriteTransaction
    private let adder: ObjectAdder

    init(_ instance: RealmInstance) {
        self.instance = instance
        transaction = instance.requireTransaction("write rows")
        adder = ObjectAdder(instance, transaction, .modified)
        adder.isUpdating = true
        adder.isReplacing = true
    }

    /// Traps unless the transaction is still open, after code of the app ran.
    package func checkOpen() { instance.checkOpen(transaction) }

    /// Returns whether a row exists.
    package func contains(_ row: RowID) -> Bool { transaction.table(row.table).contains(row.key) }

    /// Returns the object with a primary key, or nil. O(log n).
    package func key(of cell: Cell, _ stored: RowClass) -> ObjectKey? {
        stored.context.key(primaryKey: cell)
    }

    /// Inserts an object with zero, empty or null in each property.
    package func insert(_ stored: RowClass) -> ObjectKey { transaction.insert(into: stored.table) }

    /// Records that rows were written, which invalidates results that were read before.
    package func noteWritten() { instance.reader.pointee.mutations += 1 }

    // MARK: New objects

    /// Sets properties of a new object to the defaults that its class declares, or those of their types.
    package func setDefaults(_ properties: [RowProperty], of key: ObjectKey, _ stored: RowClass) {
        let context = stored.context
        let source = context.info.type.init()
        let object = context.accessor(key)
        for property in properties {
            let info = property.info
            let value =
                context.isDynamic
                ? context.info.dynamicDefault(info) : info.wrapper.unmanagedValue(info.address(in: source))
            if let value { object.kivoSetValue(info, value) }
        }
    }

    /// Returns the primary key for an object without a given one: the default, as in ``setDefaults(_:of:_:)``.
    package func defaultCell(_ property: RowProperty, _ stored: RowClass) -> Cell {
        let info = property.info
        let value =
            stored.context.isDynamic
            ? stored.context.info.dynamicDefault(info)
            : info.wrapper.unmanagedValue(info.address(in: stored.context.info.type.init()))
        return nonNull(value).flatMap { info.cell(of: $0) } ?? .null
    }

    /// Inserts an empty list or dictionary for a value of any type. The caller has to store it in a property or collection.
    package func insertContainer(_ kind: AnyContainer) -> RowID {
        let table = instance.classes.context(of: kind.type).table
        return RowID(table: table, key: transaction.insert(into: table))
    }

    // MARK: Objects that were there

    /// Sets a value or a link. Writes nothing if it is unchanged.
    package func update(_ cell: Cell, _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass) {
        let object = stored.context.accessor(key)
        if property.info.isLink {
            adder.storeLink(cell.linkKey, object, property.info)
        } else {
            adder.store(cell, object, Int(property.info.boundColumn)) { _, _ in false }
        }
    }

    /// Replaces the elements of a list or a set.
    package func update(elements: [Cell], _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass) {
        let collection = CollectionReference(stored.context, key, property.info)
        if property.collection == .set {
            adder.write(set: elements, collection)
        } else {
            adder.write(elements, collection)
        }
    }

    /// Replaces the entries of a map.
    package func update(
        entries: [(key: String, value: Cell)], _ property: RowProperty, _ key: ObjectKey,
        _ stored: RowClass
    ) {
        adder.write(entries, MapReference(stored.context.accessor(key), property.info))
    }

    /// Assigns a value by dynamic access. Traps if it is of another type.
    package func assign(_ value: Any, _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass) {
        stored.context.accessor(key).kivoSetValue(property.info, value)
    }

    // MARK: Values

    /// Returns the cell of a value for a property or its collection, or nil if it is of another type. Objects, lists and
    /// dictionaries have no cell.
    package static func cell(of value: Any, _ property: RowProperty) -> Cell? {
        property.info.cell(of: value)
    }

    /// Returns whether a text can be a key of a map.
    package static func isMapKey(_ text: String) -> Bool { MapReference.isAllowed(text) }
}

extension Realm {
    /// Returns a writer for the open transaction. Traps if there is none.
    package func rowWriter() -> RowWriter { RowWriter(instance) }
}
