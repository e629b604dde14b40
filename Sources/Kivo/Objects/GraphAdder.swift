import KivoEngine

/// An adder of unmanaged objects to a realm, for one call of `add` or `create`, or for an assignment of values that contain
/// objects.
///
/// An object is attached to its new row before its properties are written, so that cycles of objects end. The targets of a link
/// get their rows, and are written, before the link is. Objects whose links are still being followed are on a list and not on the
/// stack: memory is the only limit to the depth of a graph. Confined to the call.
final class GraphAdder: ObjectAdder {
    /// Whether a call is in progress. Code of the app that it runs uses another adder.
    @exclusivity(unchecked) private var isBusy = false
    /// The objects whose properties are not all written yet. Each one is linked to by the one before it.
    @exclusivity(unchecked) private var open: [OpenObject] = []
    /// The rows of the copies that this call made, by the object that was copied.
    private var copies: [CopiedObject: ObjectKey] = [:]
    /// The embedded objects that are being copied.
    private var openSources: Set<ObjectIdentifier> = []

    /// Returns whether the adder can be reused for another call: the same transaction is open, and no call is in progress.
    func serves(_ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) -> Bool {
        guard self.transaction === transaction, !isBusy else { return false }
        self.policy = policy
        return true
    }

    /// Adds an object unless it is in the realm already; returns its key.
    func add(_ object: ObjectBase) -> ObjectKey {
        if object.isManaged { return checkedKey(object) }
        isBusy = true
        let key = enter(object, at: 0)
        finish()
        return key
    }

    /// Creates an object of a class from values, which are copied.
    func create(_ type: ObjectBase.Type, _ value: Any) -> ObjectBase {
        create(instance.classes.context(of: type), value)
    }

    /// Creates an object in a table from values, which are copied.
    func create(_ context: TableContext, _ value: Any) -> ObjectBase {
        if let object = updated(context, value) { return object }
        let values = InitialValues(value, context.info)
        if let key = unchangedRow(context, values, at: 0) {
            let object = context.accessor(key)
            // Defaults are evaluated by code of the app.
            instance.checkOpen(transaction)
            return object
        }
        return create(context, value, values)
    }

    /// Creates or updates an object like ``create(_:_:)``, without one for a row that stays as it is.
    func put(_ context: TableContext, _ value: Any) {
        if updated(context, value) != nil { return }
        let values = InitialValues(value, context.info)
        if unchangedRow(context, values, at: 0) == nil { _ = create(context, value, values) }
    }

    /// Returns a value itself if it is an object of the realm, which an update leaves as it is.
    private func updated(_ context: TableContext, _ value: Any) -> ObjectBase? {
        guard policy != .error, let object = cast(value, as: ObjectBase.self), isHere(object),
            object.kivoContext === context
        else { return nil }
        _ = checkedKey(object)
        return object
    }

    private func create(_ context: TableContext, _ value: Any, _ values: InitialValues) -> ObjectBase {
        isBusy = true
        let object = enter(context, values, at: 0)
        if !open.isEmpty, let source = cast(value, as: ObjectBase.self),
            source.kivoInfo.name == context.info.name
        {
            copies[CopiedObject(source)] = object.kivoRow.key
        }
        finish()
        return object
    }

    /// Writes given values to properties of a managed object.
    func begin(_ object: ObjectBase, _ values: InitialValues) {
        isBusy = true
        open.append(OpenObject(object: object, isUpdating: true, values: values))
        finish()
    }

    /// Writes all open objects to their end.
    @inline(__always)
    private func finish() {
        while !open.isEmpty { proceed() }
        if !copies.isEmpty { copies = [:] }
        isBusy = false
    }

    /// Returns whether an object belongs to this instance of the realm.
    func isHere(_ object: ObjectBase) -> Bool { object.isManaged && object.kivoInstance === instance }

    /// Returns the key of a managed object. Traps if the object was deleted or belongs to another realm instance.
    func checkedKey(_ object: ObjectBase) -> ObjectKey {
        guard object.kivoInstance === instance else {
            trap(
                """
                An object of class '\(type(of: object).className())' is in another realm instance: fetch it here by \
                its primary key, or create a copy.
                """)
        }
        object.locateOrTrap()
        return object.kivoRow.key
    }

    // MARK: Rows

    /// Gives an unmanaged object its row: the one with a given key, the one with its primary key, or a new one.
    func enter(_ object: ObjectBase, at key: ObjectKey) -> ObjectKey {
        if object.kivoAttachment != nil, let observations = object.kivoObservations,
            observations.hasRegistrations
        {
            trap(
                """
                Cannot add an object of class '\(type(of: object).className())' that has key-value observers to a \
                realm: remove them first.
                """)
        }
        let context = instance.classes.context(of: type(of: object))
        var primaryKey: Cell?
        if let property = context.info.primaryKey {
            let address = property.address(in: object)
            primaryKey =
                property.wrapper.unmanagedCell(address)
                ?? nonNull(property.wrapper.unmanagedValue(address)).flatMap { property.cell(of: $0) }
                ?? .null
            if property.isConverted { instance.checkOpen(transaction) }
        }
        let (row, isNew) = self.row(context, at: key, primaryKey)
        attach(object, context, row)
        if context.info.hasLinks {
            open.append(OpenObject(object: object, isUpdating: !isNew))
        } else {
            writePlain(object, context, row.key, !isNew)
        }
        return row.key
    }

    /// Creates an object from values, in the row with a given key, the row with their primary key, or a new one.
    private func enter(_ context: TableContext, _ values: InitialValues, at key: ObjectKey) -> ObjectBase {
        let object = context.info.type.init()
        // Defaults are evaluated by code of the app.
        instance.checkOpen(transaction)
        var primaryKey: Cell?
        if let property = context.info.primaryKey {
            let value: Any? =
                switch values.value(of: property) {
                case .value(let value): value
                case .absent where context.isDynamic: context.info.dynamicDefault(property)
                case .absent: property.wrapper.unmanagedValue(property.address(in: object))
                }
            guard let cell = nonNull(value).map({ property.cell(of: $0) }) ?? .null else {
                object.kivoTrapMisfit(property, value)
            }
            if property.isConverted { instance.checkOpen(transaction) }
            primaryKey = cell
        }
        let (row, isNew) = self.row(context, at: key, primaryKey)
        attach(object, context, row)
        // Properties without a given value keep the values of the row.
        if !isNew, context.info.hasCollections { context.info.renewCollections(object) }
        if context.info.hasLinks {
            if let source = values.embeddedSource, !openSources.insert(source).inserted {
                trap("An embedded object of class '\(context.info.name)' contains itself.")
            }
            open.append(OpenObject(object: object, isUpdating: !isNew, values: values))
        } else {
            writePlain(object, context, row.key, !isNew, values)
        }
        return object
    }

    /// Returns the row with a given key or, if that is 0, the one with a primary key, or a new one. A duplicate that is not
    /// allowed fails the transaction.
    private func row(
        _ context: TableContext, at key: ObjectKey, _ primaryKey: Cell?
    ) -> (row: Row, isNew: Bool) {
        guard let primaryKey, let column = context.primaryColumn else {
            if let row = transaction.table(context.table).row(key) { return (row, false) }
            return (transaction.insertRow(into: context.table), true)
        }
        let found = transaction.findOrInsert(primaryKey: primaryKey, into: context.table)
        if found.isNew || policy != .error { return found }
        instance.fail(
            Realm.Error(
                .invalidInput,
                """
                An object of class '\(context.info.name)' with primary key '\(primaryKey.text)' exists already: \
                nothing of this write was kept. Pass 'update: .modified' to update it.
                """))
        // The write goes on until the commit fails, with a second row of the key.
        let key = transaction.insert(into: context.table)
        transaction.set(primaryKey, context.table, key, column)
        return (transaction.table(context.table).row(key)!, true)
    }

    private func attach(_ object: ObjectBase, _ context: TableContext, _ row: Row) {
        object.attach(context, key: row.key, leaf: row.leaf, slot: row.slot)
        for property in context.info.bareInverses {
            property.wrapper.renew(property.address(in: object), object, property)
        }
    }

    // MARK: Properties

    /// Writes the properties of an object whose class has no links.
    private func writePlain(
        _ object: ObjectBase, _ context: TableContext, _ key: ObjectKey, _ isUpdating: Bool
    ) {
        self.isUpdating = isUpdating
        let base = Unmanaged.passUnretained(object).toOpaque()
        for field in context.info.storedWrappers where isThere(context.table, key) {
            field.wrapper.promote(base + field.offset, object, field.boundColumn, self)
        }
        noteWritten(context, key)
    }

    /// Records that a whole row was written, because direct stores do not notify the followers of the transaction.
    @inline(__always)
    private func noteWritten(_ context: TableContext, _ key: ObjectKey) {
        transaction.rowLog?.recordRow(context.table, key)
        instance.reader.pointee.mutations += 1
    }

    /// Writes given values to the properties of an object whose class has no links.
    private func writePlain(
        _ object: ObjectBase, _ context: TableContext, _ key: ObjectKey, _ isUpdating: Bool,
        _ values: InitialValues
    ) {
        self.isUpdating = isUpdating
        for index in context.info.storedWrappers.indices where isThere(context.table, key) {
            let value = values.value(of: context.info.storedProperties[index])
            write(value, index, object, context)
        }
        noteWritten(context, key)
    }

    /// Writes the value of a property without links, or its default if none is given to a new object.
    @inline(__always)
    private func write(
        _ value: InitialValue, _ index: Int, _ object: ObjectBase, _ context: TableContext
    ) {
        let field = context.info.storedWrappers[index]
        let address = Unmanaged.passUnretained(object).toOpaque() + field.offset
        if case .value(let value) = value {
            let property = context.info.storedProperties[index]
            if let value, isDone(value, property, object) { return }
            let isUpdatingObject = isUpdating
            defer { isUpdating = isUpdatingObject }
            if hasElements(property, object) { isUpdating = true }
            // Nil empties sets and maps, which are united with all other values.
            if isComparing { isReplacing = nonNull(value) == nil }
            if !field.wrapper.promote(value, address, object, field.boundColumn, self) {
                object.kivoTrapMisfit(property, value)
            }
            isReplacing = false
        } else if !isUpdating {
            field.wrapper.promote(address, object, field.boundColumn, self)
        }
    }

    /// Returns whether a given value is stored already, or could be written without objects and code of the app.
    @inline(__always)
    private func isDone(_ value: Any, _ property: PropertyInfo, _ object: ObjectBase) -> Bool {
        if isUpdating {
            return isComparing && stores(value, property, object.kivoContext, object.kivoRow.key)
        }
        if property.isDirect, let cell = property.type.cell(ofPlain: value) {
            storeNew(cell, object, property)
            return true
        }
        return insertPlain(value, property, object)
    }

    /// Continues with the last open object until another object is opened, or until all its properties are written.
    private func proceed() {
        let top = open.count - 1
        let object = open[top].object
        let context = object.kivoContext
        let info = context.info
        isUpdating = open[top].isUpdating
        let base = Unmanaged.passUnretained(object).toOpaque()
        while open[top].next < info.storedWrappers.count {
            // Observers of updated objects may have deleted it meanwhile, or ended the transaction.
            if object.kivoRow.generation != instance.reader.pointee.generation {
                instance.checkOpen(transaction)
            }
            guard object.locate() else { break }
            let index = open[top].next
            let property = info.storedProperties[index]
            let field = info.storedWrappers[index]
            if property.isLinking {
                guard followLinks(top, object, property, base + field.offset) else { return }
            } else if property.type.scalar == .any, open[top].values == nil,
                let linked = field.wrapper.linkedObject(base + field.offset), !linked.isManaged
            {
                // A value that contains an object is written after the object.
                _ = enter(linked, at: 0)
                if open.count - 1 > top { return }
                isUpdating = open[top].isUpdating
                continue
            } else if let values = open[top].values {
                var value = values.value(of: property)
                if property.type.scalar == .any, case .value(let original) = value {
                    value = .value(withCopies(original, property))
                }
                // Copies of objects in a value are written before the value.
                if open.count - 1 > top { return }
                isUpdating = open[top].isUpdating
                write(value, index, object, context)
            } else {
                field.wrapper.promote(base + field.offset, object, field.boundColumn, self)
            }
            open[top].next += 1
        }
        if let source = open[top].values?.embeddedSource { openSources.remove(source) }
        noteWritten(context, object.kivoRow.key)
        open.removeLast()
    }

    /// Adds the objects that a property links to, then writes the property. Returns false if an object has to be written first.
    private func followLinks(
        _ top: Int, _ object: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer
    ) -> Bool {
        if open[top].links == nil {
            let value = open[top].values?.value(of: property)
            if case .absent = value, isUpdating { return true }
            if case .value(let value?)? = value, isDone(value, property, object) { return true }
            guard let links = links(object, property, address, copying: value ?? .absent) else { return true }
            open[top].links = links
        }
        let links = open[top].links.unsafelyUnwrapped
        while let link = links.next {
            links.keys.append(resolve(link, links, object, property))
            if open.count - 1 > top { return false }
        }
        isUpdating = open[top].isUpdating || links.isGiven && hasElements(property, object)
        if !instance.rowNotifier.isEmpty { instance.checkOpen(transaction) }
        if object.locate() { write(links, object, property, address) }
        isUpdating = open[top].isUpdating
        open[top].links = nil
        return true
    }

    /// Returns whether a collection of a new object has elements already. A new object can occur among its own values; that
    /// occurrence is written first, and what is given for the object itself then replaces or extends it like an update.
    func hasElements(_ property: PropertyInfo, _ owner: ObjectBase) -> Bool {
        guard !isUpdating, property.type.collection != .none, owner.kivoContext.info.hasLinks,
            let row = transaction.table(owner.kivoContext.table).row(owner.kivoRow.key)
        else { return false }
        return row.leaf.column(property.column).sequence(row.slot, .word).count > 0
    }

    /// Returns the row of the object that a link will lead to, or 0.
    private func resolve(
        _ link: AddedLink, _ links: AddedLinks, _ owner: ObjectBase, _ property: PropertyInfo
    ) -> ObjectKey {
        switch link {
        case .none: return 0
        case .object(let object):
            object.kivoCheckFits(
                owner.kivoContext.target(of: property), "'\(owner.kivoContext.info.name).\(property.name)'")
            guard object.isManaged else { return enter(object, at: links.current) }
            if property.isOwning, !(isHere(object) && object.kivoRow.key == links.current) {
                object.kivoTrapOwned("'\(owner.kivoContext.info.name).\(property.name)'")
            }
            return checkedKey(object)
        case .copy(let value):
            let target = owner.kivoContext.target(of: property)
            guard let object = cast(value, as: ObjectBase.self) else {
                let values = InitialValues(value, target.info)
                return unchangedRow(target, values, at: links.current)
                    ?? enter(target, values, at: links.current).kivoRow.key
            }
            object.kivoCheckFits(target, "'\(owner.kivoContext.info.name).\(property.name)'")
            if property.isOwning {
                return enter(target, InitialValues(object, target.info), at: links.current).kivoRow.key
            }
            return isHere(object) ? checkedKey(object) : copy(of: object, in: target)
        }
    }

    /// Returns the row of the copy of an object. One copy is made for all links to the object.
    private func copy(of object: ObjectBase, in target: TableContext) -> ObjectKey {
        if let key = migrated(object, target) { return key }
        let source = CopiedObject(object)
        if let known = copies[source] { return known }
        if let known = instance.migrationCopies?[object], transaction.table(target.table).contains(known) {
            return known
        }
        let key = enter(target, InitialValues(object, target.info), at: 0).kivoRow.key
        copies[source] = key
        if !object.isManaged { instance.migrationCopies?[object] = key }
        return key
    }

    /// Returns the current row of an old object in the running migration, or nil if it is another object or was deleted.
    private func migrated(_ object: ObjectBase, _ target: TableContext) -> ObjectKey? {
        guard instance.migration != nil, object.isManaged, object.kivoInstance?.migration == .old,
            object.kivoContext.table == target.table
        else { return nil }
        object.locateOrTrap()
        let key = object.kivoRow.key
        return transaction.table(target.table).contains(key) ? key : nil
    }

    /// Returns the copy of an object; see ``copy(of:in:)``.
    func copy(of object: ObjectBase) -> ObjectBase {
        let context = instance.classes.context(of: object.kivoInfo)
        return context.accessor(copy(of: object, in: context))
    }

    // MARK: What values need

    /// Returns whether the object that is being written still exists: observers of updated objects may delete it.
    @inline(__always)
    private func isThere(_ table: TableID, _ key: ObjectKey) -> Bool {
        !isUpdating || transaction.table(table).contains(key)
    }
}

extension RealmInstance {
    /// Returns an adder for the open transaction.
    func adder(_ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) -> GraphAdder {
        if let lastAdder {
            let adder = unsafeDowncast(lastAdder, to: GraphAdder.self)
            if adder.serves(transaction, policy) { return adder }
        }
        let adder = GraphAdder(self, transaction, policy)
        lastAdder = adder
        return adder
    }
}
