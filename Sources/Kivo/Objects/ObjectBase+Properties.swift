import Foundation
import KivoEngine

extension ObjectBase {
    /// Assigns a scalar property of a managed object when a plain store is not all there is to do.
    ///
    /// - Parameter store: stores the value into a buffer that is ready for it.
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
        let isObserved = instance.rowTeller.contains(kivoContext.table, kivoRow.key)
        if !isObserved, !property.isIndexed {
            kivoStore(column, transaction, instance, store)
            kivoRow.writer = instance.reader[ReaderState.writer]
            return
        }
        instance.rowTeller.changing(self, property.column) {
            // Observers before the change may have deleted the object, or ended the transaction.
            if isObserved {
                instance.checkOpen(transaction, RowID(table: kivoContext.table, key: kivoRow.key))
            }
            if property.isIndexed {
                transaction.set(cell(), kivoContext.table, kivoRow.key, column)
                instance.reader[ReaderState.mutations] += 1
            } else {
                kivoStore(column, transaction, instance, store)
            }
        }
    }

    /// Stores a scalar into the object's row, and brings the cached addresses up to date.
    @inline(__always)
    private final func kivoStore(
        _ column: Int, _ transaction: WriteTransaction, _ instance: RealmInstance,
        _ store: (UnsafeMutableRawPointer, Int) -> Bool
    ) {
        let (leaf, slot) = transaction.prepareStore(kivoContext.table, kivoRow.key, column)
        _ = store(leaf.columns[column], slot)
        instance.reader[ReaderState.mutations] += 1
        (kivoRow.columns, kivoRow.slot) = (leaf.columns, slot)
        kivoRow.generation = instance.reader[ReaderState.generation]
        // Whoever observes the row is to be told.
        kivoRow.writer = 0
    }

    /// The open transaction of a managed object whose property is about to be assigned; traps if there is none.
    final func kivoRequireWrite(_ property: PropertyInfo) -> WriteTransaction {
        let info = kivoContext.info
        let transaction = kivoInstance!.requireTransaction("modify '\(info.name).\(property.name)'")
        locateOrTrap()
        return transaction
    }

    /// Tells key-value observers around a change of a property.
    final func kivoChange(_ column: Int, _ change: () -> Void) {
        if isManaged {
            kivoInstance!.rowTeller.changing(self, column, change)
        } else if let observations = kivoObservations {
            observations.changing(column, .wholesale, change)
        } else {
            change()
        }
    }

    /// The property of a name; traps if there is none.
    final func kivoProperty(_ name: String) -> PropertyInfo {
        let info = isManaged ? kivoContext.info : Registry.info(type(of: self))
        guard let property = info.property(named: name) else {
            trap("Class '\(info.name)' has no persisted property '\(name)'.")
        }
        return property
    }

    /// The value of a property, as `Any?`.
    final func kivoValue(_ property: PropertyInfo) -> Any? {
        let address = property.address(in: self)
        guard isManaged else { return property.wrapper.unmanagedValue(address) }
        locateOrTrap()
        return property.wrapper.value(address, self, property.column)
    }

    /// The value of a property as it is stored: of enums the raw value, of mapped types what they are mapped to, also where
    /// that means no value of theirs.
    final func kivoStoredValue(_ property: PropertyInfo) -> Any? {
        guard property.isStoredAsAnother else { return kivoValue(property) }
        let value = isManaged ? kivoStored(property) : flatten(kivoValue(property))
        return value.map(storedForm)
    }

    /// The same for who knows the property by name alone. What a value of any type holds says by its type which it is.
    final func kivoBoxedValue(_ property: PropertyInfo) -> Any? {
        let value = kivoStoredValue(property)
        if property.type.scalar == .any { return value }
        return flatten(value).map(boxed) ?? value
    }

    private final func kivoStored(_ property: PropertyInfo) -> Any? {
        locateOrTrap()
        let column = property.column
        func read<T: _OptionalPersistable>(_ type: T.Type) -> Any? {
            if property.type.isOptional || property.isLink { return type._getOptional(self, column) }
            guard let type = type as? any _Persistable.Type else { return nil }
            func read<Value: _Persistable>(_ type: Value.Type) -> Any? { type._get(self, column) }
            return read(type)
        }
        func readMapped<T: _OptionalPersistable>(_ type: T.Type) -> Any? { read(T.PersistedType.self) }
        let type = (property.wrapper.valueType as? any AnyOptional.Type)?.wrappedType
        guard let type = (type ?? property.wrapper.valueType) as? any _OptionalPersistable.Type else {
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
            // The collection stays, and tells of its changes itself.
            isFitting = property.wrapper.setUnmanagedValue(address, value)
        } else {
            if property.isLink { kivoRow.holdsObjects = true }
            kivoChange(property.column) { isFitting = property.wrapper.setUnmanagedValue(address, value) }
        }
        if !isFitting { kivoTrapMisfit(property, value) }
    }

    final func kivoTrapMisfit(_ property: PropertyInfo, _ value: Any?) -> Never {
        trap(
            """
            '\(flatten(value) ?? "nil")' is no value of property '\(kivoInfo.name).\(property.name)' \
            of type \(property.type.description).
            """)
    }

    /// Traps because nil is given among the elements of a list or set of objects.
    final func kivoTrapNilElement(_ property: PropertyInfo) -> Never {
        trap(
            """
            nil is no element of '\(kivoInfo.name).\(property.name)', a \(property.type.collection == .set ? "set" : "list") \
            of objects: leave it out of what is given.
            """)
    }

    /// Assigns the properties of an unmanaged object from a dictionary, an array or another object. Nested values may be
    /// as deep as memory allows.
    final func kivoAssignUnmanaged(_ value: Any) {
        var rest: [UnfilledObject] = [UnfilledObject(object: self, value: value)]
        while let next = rest.popLast() { next.fill(&rest) }
    }

    /// Dynamic access to a property by name. Traps if there is no such property or the value does not fit; assigning
    /// to a collection replaces its elements. Of an enum this is the raw value, of a mapped type the one that is stored; either
    /// may be assigned. A `Float` can be read as `Double`, too, and an integer of any width as `Int`.
    public final subscript(key: String) -> Any? {
        get { key == "isInvalidated" ? isInvalidated : kivoBoxedValue(kivoProperty(key)) }
        set { kivoSetValue(kivoProperty(key), newValue) }
    }
}

extension PropertyInfo {
    /// Whether the property is a list or a set, which hold no nil if they hold objects.
    var hasElementsOnly: Bool { type.collection == .list || type.collection == .set }

    /// The column's layout.
    var columnKind: ColumnKind {
        type.collection == .none ? type.scalar?.columnKind ?? .link : .sequence
    }

    /// The cell that dynamic access means by a value, if it fits a scalar property.
    func cell(of value: Any) -> Cell? {
        type.scalar == .any ? AnyRealmValue._fromAny(value)?.plainCell : type.scalar?.cell(of: value)
    }
}
