import KivoEngine

/// An object in a migration, which is read and written by the names of its properties.
public typealias MigrationObject = DynamicObject

/// A closure that is called with an object before and after the migration. See ``Migration/enumerateObjects(ofType:_:)``.
public typealias MigrationObjectEnumerateBlock = (
    _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

extension Migration {
    private var run: MigrationRun { unsafeDowncast(work, to: MigrationRun.self) }

    /// Calls a block with each object of a class that the file had, in the order in which they were added.
    ///
    /// Old objects are read-only, and their links lead to old objects. New objects can be changed in every property, including
    /// the primary key. A link or a collection of old objects can be assigned to a new object. It then leads to the corresponding
    /// new objects.
    ///
    /// - Parameters:
    ///   - typeName: The name of the class. If neither the file nor the program has it, the block is not called.
    ///   - block: A closure that is called with the old and the new object. There is no new object if the program does not have
    ///     the class. If the file did not have the class, the objects that were created since are enumerated, without old
    ///     objects. Objects that were deleted in this migration are skipped.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        let oldTable = run.oldCatalog.table(named: typeName).flatMap {
            run.oldCatalog.tables[$0].isDefined ? $0 : nil
        }
        let isDeclared = run.byName[typeName] != nil
        guard let oldTable else {
            guard isDeclared, let context = run.instance.classes.dynamicContext(named: typeName) else {
                return
            }
            var keys: [ObjectKey] = []
            run.instance.table(context.table).forEachKey { keys.append($0) }
            for key in keys { if let object = newObject(key, context.table) { block(nil, object) } }
            return
        }
        let context = run.old.instance.classes.dynamicContext(of: oldTable)
        var keys: [ObjectKey] = []
        run.old.instance.table(oldTable).forEachKey { keys.append($0) }
        for key in keys {
            let new = isDeclared ? newObject(key, oldTable) : nil
            if isDeclared, new == nil { continue }
            block(unsafeDowncast(context.accessor(key), to: DynamicObject.self), new)
        }
    }

    private func newObject(_ key: ObjectKey, _ table: TableID) -> DynamicObject? {
        let instance = run.instance
        guard instance.table(table).contains(key) else { return nil }
        return unsafeDowncast(
            instance.classes.dynamicContext(of: table).accessor(key), to: DynamicObject.self)
    }

    /// Creates an object of a class that the program has. Properties without a value get the defaults of the class.
    ///
    /// An unmanaged object among the values, or assigned to a property, is copied, with all that it links to. If it is given to
    /// several objects of the migration, all of them link to its first copy; later changes of the unmanaged object have no effect.
    ///
    /// - Parameters:
    ///   - typeName: The name of the class.
    ///   - value: A dictionary from property names to values, an array of values in order of declaration, or an old or new
    ///     object, whose values are copied. See ``Realm/create(_:value:update:)``.
    /// - Returns: The object. If an object with the same primary key exists, opening the realm fails with that error.
    /// - Precondition: The program has the class, and it is not embedded.
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        let instance = run.instance
        let context = context(typeName)
        if context.info.isEmbedded {
            trap("An object of class '\(typeName)' is embedded, and is created with the object that owns it.")
        }
        return unsafeDowncast(
            instance.adder(instance.requireTransaction("create an object"), .error).create(context, value),
            to: DynamicObject.self)
    }

    private func context(_ typeName: String) -> TableContext {
        if run.byName[typeName] != nil, let context = run.instance.classes.dynamicContext(named: typeName) {
            return context
        }
        do {
            if let context = try run.declare(typeName) { return context }
        } catch {
            trap("\(error)")
        }
        trap(
            """
            Cannot create an object of class '\(typeName)' in a migration: the program has used no class of that name. Name \
            the class in the configuration's 'objectTypes'.
            """)
    }

    /// Deletes a new object, like ``Realm/delete(_:)-(ObjectBase)``.
    ///
    /// - Precondition: It is not an old object of the migration.
    public func delete(_ object: MigrationObject) {
        if object.isManaged, object.kivoInstance?.migration == .old {
            trap(
                "Cannot delete an old object of class '\(object.kivoInfo.name)', which shows what was: delete the new one."
            )
        }
        run.instance.delete(object)
    }

    /// Deletes all objects of a class. If the program does not have the class, removes it from the file, unless another class of
    /// the file links to it.
    ///
    /// - Returns: Whether there is such a class.
    /// - Complexity: O(objects).
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        guard let table = run.catalog.table(named: typeName), run.catalog.tables[table].isDefined else {
            return false
        }
        let instance = run.instance
        var keys: [ObjectKey] = []
        instance.table(table).forEachKey { keys.append($0) }
        instance.delete(keys, table, instance.requireTransaction("delete objects"))
        if run.byName[typeName] == nil { run.emptied.insert(table) }
        return true
    }

    /// Renames a property: all objects keep its values. Values that the new property was given earlier in this migration are
    /// lost. New objects that the app retained from before become invalid.
    ///
    /// - Precondition: No enumeration of objects is in progress.
    /// - Parameters:
    ///   - typeName: The name of the class. Traps if the program does not have it. Does nothing if the file does not have it, for
    ///     example because no object was ever stored.
    ///   - oldName: The stored name of a property that the class no longer has. Traps if the class still has it, or never had it.
    ///   - newName: The current name of the property, or its stored one. Traps if there is none, or it is of another type. It may be optional if the
    ///     old one was not, and the reverse.
    /// - Complexity: O(objects).
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        let what = "Cannot rename property '\(typeName).\(oldName)' to '\(newName)'"
        // A class without stored objects is not in the file: there is nothing to rename.
        guard let table = run.oldCatalog.table(named: typeName), run.oldCatalog.tables[table].isDefined else {
            return
        }
        guard let info = run.byName[typeName] else {
            trap("\(what): the program has no class '\(typeName)', or 'objectTypes' does not name it.")
        }
        let named = info.property(named: newName) ?? info.storedProperties.first { $0.columnName == newName }
        guard let property = named, property.isStored else {
            trap("\(what): class '\(typeName)' has no persisted property '\(newName)'.")
        }
        if info.storedProperties.contains(where: { $0.columnName == oldName }) {
            trap("\(what): the class has a property of the old name still.")
        }
        guard run.hidden[table]?.contains(oldName) == true else {
            trap(
                "\(what): the file has no property '\(oldName)' of class '\(typeName)', or it was renamed before."
            )
        }
        run.endStep()
        guard let shape = run.renamed(table, from: oldName, to: property.columnName) else {
            trap("\(what): they are of different types.")
        }
        run.redefine(shape)
        run.forgetHidden(oldName, of: table)
    }
}

extension MigrationRun {
    /// Returns the change that gives a property of a table the values of another one, which is removed; nil if they do not fit.
    fileprivate func renamed(
        _ table: TableID, from oldName: String, to newName: String
    ) -> TableRedefinition? {
        var shape = nextShape(of: table)
        let stored = catalog.tables[table].columns
        for (index, column) in shape.columns.enumerated() where column.propertyName == newName {
            guard let source = Catalog.source(of: column, shape.columns, in: stored, named: oldName) else {
                return nil
            }
            shape.sources[index] = source
        }
        let kept = shape.columns.indices.filter { shape.columns[$0].propertyName != oldName }
        shape.sources = kept.map { shape.sources[$0] }
        shape.columns = kept.map { shape.columns[$0] }
        return shape
    }
}
