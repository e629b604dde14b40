import KivoEngine

/// Makes unmanaged objects managed: one call of `add`, `create`, or an assignment that brings objects along.
///
/// An object is attached to its fresh row before its properties are written, so that cycles of objects end. What an
/// object links to gets its row, and is written, before the link is. Objects whose links are still being followed are
/// on a list and not on the stack: a graph may be as deep as memory allows. Confined to the call.
final class GraphAdder: _ObjectAdder {
    /// Whether a call is under way. Code of the user's that it runs gets another adder.
    @exclusivity(unchecked) private var isBusy = false
    /// The objects whose properties are not all written yet, each linked to by the one before it.
    @exclusivity(unchecked) private var open: [OpenObject] = []
    /// The rows that hold copies of objects that this call came across.
    private var copies: [CopiedObject: ObjectKey] = [:]
    /// The embedded objects that are being copied.
    private var openSources: Set<ObjectIdentifier> = []

    /// Whether the adder can serve another call: the same transaction is open.
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
        create(instance.context(type), value)
    }

    /// Creates an object in a table from values, which are copied.
    func create(_ context: TableContext, _ value: Any) -> ObjectBase {
        if policy != .error, let object = cast(value, as: ObjectBase.self), isHere(object),
            object.kivoContext === context
        {
            _ = checkedKey(object)
            return object
        }
        isBusy = true
        let object = enter(context, value, at: 0)
        if !open.isEmpty, let source = cast(value, as: ObjectBase.self),
            source.kivoInfo.name == context.info.name
        {
            copies[CopiedObject(source)] = object.kivoRow.key
        }
        finish()
        return object
    }

    /// Writes given values to properties of an object that is in the realm.
    func begin(_ object: ObjectBase, _ given: GivenValues) {
        isBusy = true
        open.append(OpenObject(object: object, isUpdating: true, given: given))
        finish()
    }

    /// Writes what is open to its end.
    @inline(__always)
    private func finish() {
        while !open.isEmpty { proceed() }
        if !copies.isEmpty { copies = [:] }
        isBusy = false
    }

    /// Whether an object is in this instance of the realm.
    func isHere(_ object: ObjectBase) -> Bool { object.isManaged && object.kivoInstance === instance }

    /// The key of a managed object, which must be of this realm and alive.
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

    /// Gives an unmanaged object its row: the one of a key, of its primary key, or a new one.
    func enter(_ object: ObjectBase, at place: ObjectKey) -> ObjectKey {
        if object.kivoAttachment != nil, let observations = object.kivoObservations,
            observations.hasRegistrations
        {
            trap(
                """
                Cannot add an object of class '\(type(of: object).className())' that has key-value observers to a \
                realm: remove them first.
                """)
        }
        let context = instance.context(type(of: object))
        var existing: ObjectKey? = place == 0 ? nil : place
        if let property = context.info.primaryKey {
            let value = property.wrapper.unmanagedValue(property.address(in: object))
            let cell = nonNull(value).flatMap { property.cell(of: $0) } ?? .null
            if property.isStoredAsAnother { instance.checkOpen(transaction) }
            existing = resolve(context, cell)
        }
        let key = existing ?? transaction.insert(into: context.table)
        attach(object, context, key)
        if context.info.hasLinks {
            open.append(OpenObject(object: object, isUpdating: existing != nil))
        } else {
            writePlain(object, context, key, existing != nil)
        }
        return key
    }

    /// Makes an object of values, in the row of a key, of their primary key, or a new one.
    func enter(_ context: TableContext, _ value: Any, at place: ObjectKey) -> ObjectBase {
        let given = GivenValues(value, context.info)
        let object = context.info.type.init()
        // Defaults are code of the app's.
        instance.checkOpen(transaction)
        var existing: ObjectKey? = place == 0 ? nil : place
        if let property = context.info.primaryKey {
            let value =
                given.value(of: property)
                ?? (context.isDynamic
                    ? context.info.dynamicDefault(property)
                    : property.wrapper.unmanagedValue(property.address(in: object)))
            guard let cell = nonNull(value).map({ property.cell(of: $0) }) ?? .null else {
                object.kivoTrapMisfit(property, value)
            }
            if property.isStoredAsAnother { instance.checkOpen(transaction) }
            existing = resolve(context, cell)
        }
        let key = existing ?? transaction.insert(into: context.table)
        attach(object, context, key)
        // What is given no value shows what the row has.
        if existing != nil, context.info.hasCollections { context.info.renewCollections(object) }
        if context.info.hasLinks {
            if let source = given.embeddedSource, !openSources.insert(source).inserted {
                trap("An embedded object of class '\(context.info.name)' contains itself.")
            }
            open.append(OpenObject(object: object, isUpdating: existing != nil, given: given))
        } else {
            writePlain(object, context, key, existing != nil, given)
        }
        return object
    }

    /// The object of a primary key that is to be updated, or nil. A duplicate that must not be fails the transaction.
    private func resolve(_ context: TableContext, _ cell: Cell) -> ObjectKey? {
        guard let key = context.key(primaryKey: cell) else { return nil }
        if policy == .error {
            instance.fail(
                Realm.Error(
                    .invalidInput,
                    """
                    An object of class '\(context.info.name)' with primary key '\(cell.text)' exists already: \
                    nothing of this write was kept. Pass 'update: .modified' to update it.
                    """))
            return nil
        }
        return key
    }

    private func attach(_ object: ObjectBase, _ context: TableContext, _ key: ObjectKey) {
        let (leaf, slot) = transaction.table(context.table).locate(key)!
        object.attach(context, key: key, leaf: leaf, slot: slot)
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
        for place in context.info.places where isThere(context.table, key) {
            place.wrapper.promote(base + place.offset, object, place.boundColumn, self)
        }
        noteWritten(context, key)
    }

    /// Says that all of a row is written; what is stored directly is not told to those who follow the transaction.
    @inline(__always)
    private func noteWritten(_ context: TableContext, _ key: ObjectKey) {
        transaction.rowLog?.noteRow(context.table, key)
        instance.reader[ReaderState.mutations] += 1
    }

    /// Writes given values to the properties of an object whose class has no links.
    private func writePlain(
        _ object: ObjectBase, _ context: TableContext, _ key: ObjectKey, _ isUpdating: Bool,
        _ given: GivenValues
    ) {
        self.isUpdating = isUpdating
        for index in context.info.places.indices where isThere(context.table, key) {
            let value = given.value(of: context.info.storedProperties[index])
            write(value, index, object, context)
        }
        noteWritten(context, key)
    }

    /// Writes the value of a property without links, or its default if none is given to a new object.
    @inline(__always)
    private func write(
        _ given: Any??, _ index: Int, _ object: ObjectBase, _ context: TableContext
    ) {
        let place = context.info.places[index]
        let address = Unmanaged.passUnretained(object).toOpaque() + place.offset
        if let given {
            if !place.wrapper.promote(given, address, object, place.boundColumn, self) {
                object.kivoTrapMisfit(context.info.storedProperties[index], given)
            }
        } else if !isUpdating {
            place.wrapper.promote(address, object, place.boundColumn, self)
        }
    }

    /// Goes on with the object that was opened last until another is opened, or it is written.
    private func proceed() {
        let top = open.count - 1
        let object = open[top].object
        let context = object.kivoContext
        let info = context.info
        isUpdating = open[top].isUpdating
        let base = Unmanaged.passUnretained(object).toOpaque()
        while open[top].next < info.places.count {
            // Observers of what was updated meanwhile may have deleted it, or ended the transaction.
            if object.kivoRow.generation != instance.reader[ReaderState.generation] {
                instance.checkOpen(transaction)
            }
            guard object.locate() else { break }
            let index = open[top].next
            let property = info.storedProperties[index]
            let place = info.places[index]
            if property.isLinking {
                guard followLinks(top, object, property, base + place.offset) else { return }
            } else if property.type.scalar == .any, open[top].given == nil,
                let linked = place.wrapper.linkedObject(base + place.offset), !linked.isManaged
            {
                // A value that is an object is written once that is.
                _ = enter(linked, at: 0)
                if open.count - 1 > top { return }
                isUpdating = open[top].isUpdating
                continue
            } else if let given = open[top].given {
                let value = given.value(of: property)
                let copied = value.map { property.type.scalar == .any ? withCopies($0, property) : $0 }
                // Copies of objects in a value are written before it is.
                if open.count - 1 > top { return }
                isUpdating = open[top].isUpdating
                write(copied, index, object, context)
            } else {
                place.wrapper.promote(base + place.offset, object, place.boundColumn, self)
            }
            open[top].next += 1
        }
        if let source = open[top].given?.embeddedSource { openSources.remove(source) }
        noteWritten(context, object.kivoRow.key)
        open.removeLast()
    }

    /// Brings what a property links to into the realm, then writes the property. False if an object has to be written
    /// first.
    private func followLinks(
        _ top: Int, _ object: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer
    ) -> Bool {
        if open[top].links == nil {
            var value: Any??
            if let given = open[top].given {
                value = given.value(of: property)
                if value == nil, isUpdating { return true }
            }
            guard let links = links(object, property, address, given: value) else { return true }
            open[top].links = links
        }
        let links = open[top].links.unsafelyUnwrapped
        while let link = links.next {
            links.keys.append(resolve(link, links, object, property))
            if open.count - 1 > top { return false }
        }
        isUpdating = open[top].isUpdating
        if !instance.rowTeller.isEmpty { instance.checkOpen(transaction) }
        if object.locate() { write(links, object, property, address) }
        open[top].links = nil
        return true
    }

    /// The row of an object that a link is to lead to, or 0.
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
                return enter(target, value, at: links.current).kivoRow.key
            }
            object.kivoCheckFits(target, "'\(owner.kivoContext.info.name).\(property.name)'")
            if property.isOwning { return enter(target, object, at: links.current).kivoRow.key }
            return isHere(object) ? checkedKey(object) : copy(of: object, in: target)
        }
    }

    /// The row of the copy of an object, which is made once however many lead to it.
    private func copy(of object: ObjectBase, in target: TableContext) -> ObjectKey {
        if let key = migrated(object, target) { return key }
        let source = CopiedObject(object)
        if let known = copies[source] { return known }
        let key = enter(target, object, at: 0).kivoRow.key
        copies[source] = key
        return key
    }

    /// The row that an old object of the migration that is under way has become; nil if it is something else, or deleted.
    private func migrated(_ object: ObjectBase, _ target: TableContext) -> ObjectKey? {
        guard instance.migration != nil, object.isManaged, object.kivoInstance?.migration == .old,
            object.kivoContext.table == target.table
        else { return nil }
        object.locateOrTrap()
        let key = object.kivoRow.key
        return transaction.table(target.table).contains(key) ? key : nil
    }

    /// The copy of an object; see ``copy(of:in:)``.
    func copy(of object: ObjectBase) -> ObjectBase {
        let context = instance.context(of: object.kivoInfo)
        return context.accessor(copy(of: object, in: context))
    }

    // MARK: What values need

    /// Whether the object that is being written is still there: observers of what is updated may delete it.
    @inline(__always)
    private func isThere(_ table: TableID, _ key: ObjectKey) -> Bool {
        !isUpdating || transaction.table(table).contains(key)
    }
}

extension RealmInstance {
    /// An adder for the open transaction.
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
