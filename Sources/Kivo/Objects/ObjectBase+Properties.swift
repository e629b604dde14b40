import Foundation
import KivoEngine

extension ObjectBase {
    /// Assigns a scalar property of a managed object when a plain store does not suffice.
    ///
    /// - Parameter store: Stores the value into a buffer that is ready for it.
    final func kivoSet(
        _ cell: @autoclosure () -> Cell, _ column: Int, _ store: (UnsafeMutableRawPointer, Int) -> Bool
    ) {
        let property = kivoContext.info.property(column: column)
        let transaction = kivoRequireWrite(property)
        if property.isPrimaryKey {
            if transaction.table(kivoContext.table).cell(kivoRow.key, column, property.columnKind) == cell() {
                return
            }
            if kivoInstance!.migration != nil {
                transaction.set(cell(), kivoContext.table, kivoRow.key, column)
                return
            }
            trap(
                """
                Primary key '\(kivoContext.info.name).\(property.name)' cannot be changed after the object was added.
                """)
        }
        let instance = kivoInstance!
        // The transaction wrote to another row of the leaf, and this one has no observers: only a store is left to do.
        if kivoRow.writer != 0, !property.isIndexed, let data = kivoRow.columns?[column],
            ColumnBits.owner(data) == kivoRow.writer, store(data, kivoRow.slot)
        {
            instance.reader.pointee.mutations += 1
            return
        }
        let isObserved = instance.rowNotifier.contains(kivoContext.table, kivoRow.key)
        if !isObserved, !property.isIndexed {
            kivoStore(column, transaction, instance, store)
            kivoRow.writer = instance.reader.pointee.writer
            return
        }
        instance.rowNotifier.changing(self, property.column) {
            // Observers before the change may have deleted the object, or ended the transaction.
            if isObserved {
                instance.checkOpen(transaction, RowID(table: kivoContext.table, key: kivoRow.key))
            }
            if property.isIndexed {
                transaction.set(cell(), kivoContext.table, kivoRow.key, column)
                instance.reader.pointee.mutations += 1
            } else {
                kivoStore(column, transaction, instance, store)
            }
        }
    }

    /// Stores a scalar into the object's row, and updates the cached addresses.
    @inline(__always)
    private final func kivoStore(
        _ column: Int, _ transaction: WriteTransaction, _ instance: RealmInstance,
        _ store: (UnsafeMutableRawPointer, Int) -> Bool
    ) {
        let (leaf, slot) = transaction.prepareStore(kivoContext.table, kivoRow.key, column)
        _ = store(leaf.columns[column], slot)
        instance.reader.pointee.mutations += 1
        (kivoRow.columns, kivoRow.slot) = (leaf.columns, slot)
        kivoRow.generation = instance.reader.pointee.generation
        // 0 makes the next assignment take the slow path, which notifies the observers of the row.
        kivoRow.writer = 0
    }

    /// Returns the open transaction of a managed object whose property is about to be assigned. Traps if there is none.
    final func kivoRequireWrite(_ property: PropertyInfo) -> WriteTransaction {
        let info = kivoContext.info
        let transaction = kivoInstance!.requireTransaction("modify '\(info.name).\(property.name)'")
        locateOrTrap()
        return transaction
    }

    /// Notifies key-value observers before and after a change of a property.
    final func kivoChange(_ column: Int, _ change: () -> Void) {
        if isManaged {
            kivoInstance!.rowNotifier.changing(self, column, change)
        } else if let observations = kivoObservations {
            observations.changing(column, .wholesale, change)
        } else {
            change()
        }
    }

    /// Returns the property with a name; traps if there is none.
    final func kivoProperty(_ name: String) -> PropertyInfo {
        let info = isManaged ? kivoContext.info : Registry.info(type(of: self))
        guard let property = info.property(named: name) else {
            trap(
                "Class '\(info.name)' has no persisted property '\(name)'.\(info.hint(onUnknown: name))")
        }
        return property
    }

    /// Returns the value of a property, as `Any?`.
    final func kivoValue(_ property: PropertyInfo) -> Any? {
        let address = property.address(in: self)
        guard isManaged else { return property.wrapper.unmanagedValue(address) }
        locateOrTrap()
        return property.wrapper.value(address, self, property.column)
    }

    /// Returns the stored value of a property: the raw value of an enum, and the persisted value of a mapped type. Stored values
    /// that represent no value of the enum or mapped type are returned, too.
    final func kivoStoredValue(_ property: PropertyInfo) -> Any? {
        if kivoState.contains(.tracked) { kivoNoteRead(column: property.column) { nil } }
        guard property.isConverted else { return kivoValue(property) }
        let value = isManaged ? kivoStored(property) : flatten(kivoValue(property))
        return value.map(storedForm)
    }

    /// Returns the stored value for access by name, with numbers boxed. A value of any type is not boxed: its Swift type says
    /// which case it is.
    final func kivoBoxedValue(_ property: PropertyInfo) -> Any? {
        let value = kivoStoredValue(property)
        if property.type.scalar == .any { return value }
        return flatten(value).map(boxed) ?? value
    }

    private final func kivoStored(_ property: PropertyInfo) -> Any? {
        locateOrTrap()
        let column = property.column
        func read<T: _OptionalPersistable>(_ type: T.Type) -> Any? {
            if property.type.isOptional || property.isLink { return T._access.type.getOptional(self, column) }
            guard let type = type as? any _Persistable.Type else { return nil }
            func read<Value: _Persistable>(_ type: Value.Type) -> Any? {
                Value._access.type.get(self, column)
            }
            return read(type)
        }
        func readMapped<T: _OptionalPersistable>(_ type: T.Type) -> Any? { read(T.PersistedType.self) }
        let valueType = property.wrapper.storedValueType
        let type = (valueType as? any AnyOptional.Type)?.wrappedType ?? valueType
        guard let type = type as? any _OptionalPersistable.Type else {
            return nil
        }
        return readMapped(type)
    }

    /// Assigns a property from `Any?`; traps if the value does not fit.
    final func kivoSetValue(_ property: PropertyInfo, _ value: Any?) {
        let address = property.address(in: self)
        var isFitting = true
        if isManaged {
            kivoCheckThread()
            isFitting = property.wrapper.setValue(address, self, property.column, value)
        } else if property.wrapper.isCached {
            // The collection is kept, and notifies observers of its changes itself.
            isFitting = property.wrapper.setUnmanagedValue(address, value)
        } else {
            if property.isLink { kivoHoldsObjects = true }
            kivoChange(property.column) { isFitting = property.wrapper.setUnmanagedValue(address, value) }
        }
        if !isFitting { kivoTrapMisfit(property, value) }
    }

    final func kivoTrapMisfit(_ property: PropertyInfo, _ value: Any?) -> Never {
        trap(
            """
            \(RefusedValue(value)) is no value of property '\(kivoInfo.name).\(property.name)' \
            of type \(property.type.description).
            """)
    }

    /// Traps because nil is among the elements for a list or set of objects.
    final func kivoTrapNilElement(_ property: PropertyInfo) -> Never {
        trap(
            """
            nil is no element of '\(kivoInfo.name).\(property.name)', a \(property.type.collection == .set ? "set" : "list") \
            of objects: leave it out of what is given.
            """)
    }

    /// Assigns the properties of an unmanaged object from a dictionary, an array or another object. Memory is the only limit to
    /// the depth of nested values.
    final func kivoAssignUnmanaged(_ value: Any) {
        var rest: [PendingObject] = [PendingObject(object: self, value: value)]
        while let next = rest.popLast() { next.assign(&rest) }
    }

    /// Accesses a property dynamically, by name. Enums are read as their raw value, mapped types as the stored value; either form
    /// may be assigned. A `Float` can also be read as `Double`, and an integer of any width as `Int`. Assigning to a collection
    /// replaces its elements.
    ///
    /// - Precondition: There is a property with the name, and the value fits it.
    public final subscript(key: String) -> Any? {
        get { key == "isInvalidated" ? isInvalidated : kivoBoxedValue(kivoProperty(key)) }
        set { kivoSetValue(kivoProperty(key), newValue) }
    }
}

extension PropertyInfo {
    /// Whether the property is a list or a set, which hold no nil if they hold objects.
    var hasElementsOnly: Bool { type.collection == .list || type.collection == .set }

    /// Returns the cell of a value that is given by dynamic access, or nil if it does not fit a scalar property.
    func cell(of value: Any) -> Cell? {
        type.scalar == .any ? AnyRealmValue.fromAny(value)?.plainCell : type.scalar?.cell(of: value)
    }
}
