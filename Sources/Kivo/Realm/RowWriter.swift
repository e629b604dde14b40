import KivoEngine

/// Writes rows of an open transaction by their cells, without objects: what brings data in from elsewhere.
///
/// Observers are told as of any other write. Confined with the realm instance, and to the transaction: the calls trap once that
/// has ended.
package final class RowWriter {
    private let instance: RealmInstance
    /// The open transaction. What it does by itself tells no observer of rows that were there before it.
    package let transaction: WriteTransaction
    private let adder: _ObjectAdder

    init(_ instance: RealmInstance) {
        self.instance = instance
        transaction = instance.requireTransaction("write rows")
        adder = _ObjectAdder(instance, transaction, .modified)
        adder.isUpdating = true
    }

    /// Traps unless the transaction is still the open one, after code of the user's ran.
    package func checkOpen() { instance.checkOpen(transaction) }

    /// Whether a row is there.
    package func contains(_ row: RowID) -> Bool { transaction.table(row.table).contains(row.key) }

    /// The object of a primary key, or nil. O(log n).
    package func key(of cell: Cell, _ stored: StoredClass) -> ObjectKey? {
        stored.context.key(primaryKey: cell)
    }

    /// Makes an object with zero, empty or null in each property.
    package func insert(_ stored: StoredClass) -> ObjectKey { transaction.insert(into: stored.table) }

    /// Says that a number of rows are written, so that nobody goes by what was read before.
    package func noteWritten() { instance.reader[ReaderState.mutations] += 1 }

    // MARK: New objects

    /// Gives properties of a new object the values that its class declares, or those of their types.
    package func setDefaults(_ properties: [StoredProperty], of key: ObjectKey, _ stored: StoredClass) {
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

    /// The primary key that an object without one gets, as ``setDefaults(_:of:_:)`` has it.
    package func defaultCell(_ property: StoredProperty, _ stored: StoredClass) -> Cell {
        let info = property.info
        let value =
            stored.context.isDynamic
            ? stored.context.info.dynamicDefault(info)
            : info.wrapper.unmanagedValue(info.address(in: stored.context.info.type.init()))
        return nonNull(value).flatMap { info.cell(of: $0) } ?? .null
    }

    /// Makes an empty list or dictionary that is to be a value of any type, which has to be put somewhere.
    package func insertContainer(_ kind: AnyContainer) -> RowID {
        let table = instance.context(kind.type).table
        return RowID(table: table, key: transaction.insert(into: table))
    }

    // MARK: Objects that were there

    /// Sets a value or a link. Nothing is written if it is the same.
    package func update(_ cell: Cell, _ property: StoredProperty, _ key: ObjectKey, _ stored: StoredClass) {
        let object = stored.context.accessor(key)
        if property.info.isLink {
            adder.storeLink(cell.linkKey, object, property.info)
        } else {
            adder.store(cell, object, Int(property.info.boundColumn)) { _, _ in false }
        }
    }

    /// Replaces what a list or a set holds.
    package func update(elements: [Cell], _ property: StoredProperty, _ key: ObjectKey, _ stored: StoredClass)
    {
        let collection = CollectionReference(stored.context, key, property.info)
        if property.collection == .set {
            adder.write(set: elements, collection)
        } else {
            adder.write(elements, collection)
        }
    }

    /// Replaces what a map holds.
    package func update(
        entries: [(key: String, value: Cell)], _ property: StoredProperty, _ key: ObjectKey,
        _ stored: StoredClass
    ) {
        adder.write(entries, MapReference(stored.context.accessor(key), property.info))
    }

    /// Assigns a value as dynamic access does. Traps if it is of another type.
    package func assign(_ value: Any, _ property: StoredProperty, _ key: ObjectKey, _ stored: StoredClass) {
        stored.context.accessor(key).kivoSetValue(property.info, value)
    }

    // MARK: Values

    /// The cell of a value that is to be in a property or its collection, or nil if it is of another type. Objects, lists and
    /// dictionaries have none.
    package static func cell(of value: Any, _ property: StoredProperty) -> Cell? {
        property.info.cell(of: value)
    }

    /// Whether a text can be a key of a map.
    package static func isMapKey(_ text: String) -> Bool { MapReference.isAllowed(text) }
}

extension Realm {
    /// What writes rows in the open transaction. Traps if there is none.
    package func rowWriter() -> RowWriter { RowWriter(instance) }
}
