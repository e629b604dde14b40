import KivoEngine

/// Objects as the values of to-one properties and as the elements of collections.
extension ObjectBase: _OptionalPersistable {
    public typealias PersistedType = ObjectBase
    public typealias _Base = ObjectBase
    @inlinable public static var _layout: _Layout<ObjectBase> { _Layout(LinkLayout.self) }
    public static var _access: _Access<ObjectBase> { _Access(self) }

    public static func _element(_ cell: _ElementCell, _ context: CollectionContext) -> Self {
        unsafeDowncast(context.classOfElements.accessor(cell.cell.linkKey), to: self)
    }
    public static func _loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self
    {
        unsafeDowncast(context.classOfElements.accessor(address.load(as: ObjectKey.self)), to: self)
    }
    public final func _elementCell(_ context: CollectionContext) -> _ElementCell {
        _ElementCell(ObjectBase.elementCell(self, context))
    }
}

/// The layout of links.
@usableFromInline
enum LinkLayout: ReferenceLayout, PropertyLayout {
    @usableFromInline typealias Accessed = ObjectBase

    @usableFromInline static func makeDefault() -> ObjectBase { trap("not a property") }
    @inlinable static var isPlain: Bool { false }
}

extension ObjectBase: NoPropertyAccess {
    typealias Accessed = ObjectBase

    static func getOptional(_ owner: ObjectBase, _ property: Int) -> ObjectBase? {
        let row = owner.kivoRow
        let key = row.columns![property].assumingMemoryBound(to: ObjectKey.self)[row.slot]
        if key == 0 { return nil }
        return unsafeDowncast(owner.kivoContext.target(self, column: property).accessor(key), to: self)
    }

    static func setOptional(_ value: ObjectBase?, _ owner: ObjectBase, _ property: Int) {
        let info = owner.kivoContext.info.property(column: property)
        let transaction = owner.kivoRequireWrite(info)
        let table = owner.kivoContext.table
        let held = transaction.table(table).cell(owner.kivoRow.key, property, .link)
        var key: ObjectKey = 0
        if let value {
            value.kivoCheckFits(
                owner.kivoContext.target(self, column: property),
                "'\(owner.kivoContext.info.name).\(info.name)'")
            key =
                value.kivoCell(
                    in: owner.kivoInstance!, keeping: held, "'\(owner.kivoContext.info.name).\(info.name)'"
                )
                .linkKey
        }
        let old = transaction.table(table).cell(owner.kivoRow.key, property, .link).linkKey
        let dying = info.isOwning && old != 0 && old != key ? [old] : []
        let row = RowID(table: table, key: owner.kivoRow.key)
        owner.kivoInstance!.rowNotifier.deleting(
            owner.kivoInstance!, dying, owner.kivoContext.target(self, column: property).table, transaction,
            cause: (row, property, .wholesale)
        ) {
            owner.kivoInstance!.checkOpen(
                transaction, row,
                target: RowID(table: owner.kivoContext.target(self, column: property).table, key: key))
            transaction.set(.link(key), table, owner.kivoRow.key, property)
            owner.kivoInstance!.reader.pointee.mutations += 1
        }
        // An observer may have deleted the owner.
        _ = owner.locate()
    }

    static func promoteOptional(
        _ value: ObjectBase?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) {
        trap("a link is not a scalar")
    }

    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> ObjectBase? {
        owner.kivoRecord(property)
        return owner.kivoRecorder?.instance(of: self)
    }

    static func linkedObjectInOptional(_ value: ObjectBase) -> ObjectBase? { value }

    static func fromAnyInOptional(_ any: Any) -> ObjectBase? {
        if let object = cast(any, as: ObjectBase.self) {
            return object as? Self ?? object.kivoAccessor(of: self)
        }
        guard InitialValues.canMakeObject(any) else { return nil }
        let object = self.init()
        object.kivoAssignUnmanaged(any)
        return object
    }

    /// Returns the object of a class whose dynamic object this is, or nil if it is none.
    private final func kivoAccessor(of type: ObjectBase.Type) -> ObjectBase? {
        guard self is DynamicObject, isManaged, kivoInfo.name == type.className(),
            let instance = kivoInstance,
            instance.migration == nil
        else { return nil }
        locateOrTrap()
        return instance.classes.context(of: type).accessor(kivoRow.key)
    }

    static var optionalElementKind: ElementKind { .link }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> ObjectBase? {
        let key = cell.linkKey
        return key == 0 ? nil : unsafeDowncast(context.classOfElements.accessor(key), to: self)
    }
    static func optionalCell(_ value: ObjectBase?, _ context: CollectionContext) -> Cell {
        value.map { elementCell($0, context) } ?? .link(0)
    }

    static var elementKind: ElementKind { .link }
    static func element(_ cell: Cell, _ context: CollectionContext) -> ObjectBase {
        _element(_ElementCell(cell), context)
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> ObjectBase {
        _loadElement(address, context)
    }

    /// Returns the key of the object. An unmanaged object is added to the realm, inside of its write transaction. Traps if the
    /// object is embedded and already managed.
    static func elementCell(_ element: ObjectBase, _ context: CollectionContext) -> Cell {
        if let elements = context.elements { element.kivoCheckFits(elements, "a collection") }
        return element.kivoCell(in: context.instance!, keeping: .null, "a collection")
    }

    /// Returns the link to the object, which is added to the realm if it is unmanaged. A managed embedded object is accepted only
    /// in its current position.
    final func kivoCell(in instance: RealmInstance, keeping held: Cell, _ holder: @autoclosure () -> String)
        -> Cell
    {
        if isManaged, kivoContext.info.isEmbedded, !(kivoInstance === instance && held == .link(kivoRow.key))
        {
            kivoTrapOwned(holder())
        }
        if isManaged, kivoInstance === instance {
            locateOrTrap()
            return .link(kivoRow.key)
        }
        let transaction = instance.requireTransaction(
            "add an object of class '\(type(of: self).className())'")
        return .link(instance.adder(transaction, .error).add(self))
    }

    /// Traps because the object has an owner, and cannot have another.
    final func kivoTrapOwned(_ holder: String) -> Never {
        let name = type(of: self).className()
        trap(
            """
            An embedded object of class '\(name)' that is managed already cannot be given to \(holder): it has one owner. \
            Give a copy, '\(name)(value: …)'.
            """)
    }

    /// Traps unless the object is exactly of the class that a property holds: objects of a subclass are in another table. A
    /// dynamic object counts as one of the class with its name.
    final func kivoCheckFits(_ expected: TableContext, _ holder: @autoclosure () -> String) {
        if isManaged, kivoContext === expected { return }
        if !expected.isDynamic, type(of: self) == expected.info.type { return }
        let info = kivoInfo
        if info.isDynamic || expected.isDynamic, info.name == expected.info.name { return }
        trap(
            """
            An object of class '\(info.name)' cannot be held by \(holder()), which holds objects of class \
            '\(expected.info.name)' and not of classes derived from it.
            """)
    }

    static func describeElement(_ type: inout DeclaredType) { type.target = self }

    static func elementFromAny(_ any: Any?) -> ObjectBase? {
        flatten(any).flatMap { fromAnyInOptional($0) }
    }
}
