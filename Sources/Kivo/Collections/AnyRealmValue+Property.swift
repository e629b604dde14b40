import Foundation
import KivoEngine

/// Values of any type as values of persisted properties.
extension AnyRealmValue: _Persistable, RealmCollectionValue {
    public typealias PersistedType = AnyRealmValue
    @inlinable public static var _layout: _Layout<AnyRealmValue> { _Layout(AnyRealmValue.self) }
    public static var _access: _Access<AnyRealmValue> { _Access(AnyRealmValue.self) }
}

extension AnyRealmValue: ReferenceLayout, PropertyLayout {
    @usableFromInline typealias Accessed = AnyRealmValue

    @inlinable static func makeDefault() -> AnyRealmValue { .none }
    @inlinable static var isPlain: Bool { true }
    @inlinable static var isTagged: Bool { true }

    @inlinable @inline(__always)
    static func loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> AnyRealmValue? {
        let value = AnySlot(column, slot)
        if value.code == AnySlot.int { return .int(Int(word: value.word)) }
        return loadOther(value)
    }

    /// Loads the value, or returns nil if it is an object, a list or a dictionary.
    @usableFromInline
    static func loadOther(_ value: AnySlot) -> AnyRealmValue? { AnyRealmValue(plain: value.cell) }
}

extension AnyRealmValue: ValueAccess, NoOptionalAccess {
    static func get(_ owner: ObjectBase, _ property: Int) -> AnyRealmValue {
        let row = owner.kivoRow
        return owner.kivoContext.instance.anyValue(AnySlot(row.columns![property], row.slot).cell)
    }

    static func set(_ value: AnyRealmValue, _ owner: ObjectBase, _ property: Int) {
        let transaction = owner.kivoRequireWrite(owner.kivoContext.info.property(column: property))
        let row = RowID(table: owner.kivoContext.table, key: owner.kivoRow.key)
        owner.kivoContext.instance.setAny(value, row, property, transaction, .error)
        // An observer may have deleted the owner.
        _ = owner.locate()
    }

    static func promote(
        _ value: inout AnyRealmValue?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) {
        let promoted = value ?? .none
        value = nil
        adder.storeAny(promoted, owner, PersistedColumn.index(UInt32(property)))
    }

    static func linkedObject(_ value: AnyRealmValue?) -> ObjectBase? {
        if case .object(let object)? = value { object } else { nil }
    }

    static func record(_ owner: ObjectBase, _ property: Int) -> AnyRealmValue {
        owner.kivoRecord(property)
        return .none
    }

    static func describe(_ type: inout DeclaredType) {
        type.scalar = .any
        type.companions = AnyContainer.allCases.map(\.type)
    }

    /// Returns the contents of the value, for access by name; nil for `none`.
    package static func toAny(_ value: AnyRealmValue) -> Any? {
        switch value {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }

    static func fromAny(_ any: Any?) -> AnyRealmValue? {
        guard let any = nonNull(any) else { return AnyRealmValue.none }
        // A cast of a dictionary or an array would bridge it to the requested type.
        switch any {
        case let value as AnyRealmValue: return value
        case let value as String: return .string(value)
        case let value as Bool where type(of: any) == Bool.self: return .bool(value)
        case let value as Double where type(of: any) == Double.self: return .double(value)
        case let value as Float where type(of: any) == Float.self: return .float(value)
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let value as UUID: return .uuid(value)
        case let value as ObjectId: return .objectId(value)
        case let value as Decimal128: return .decimal128(value)
        default: break
        }
        if let object = cast(any, as: ObjectBase.self) {
            return (object as? Object).map(AnyRealmValue.object)
        }
        if let number = cast(any, as: NSNumber.self) { return AnyRealmValue(number) }
        if let value = any as? any PersistableEnum { return fromAny(value.rawValue) }
        if let list = cast(any, as: List<AnyRealmValue>.self) { return .list(list) }
        if let map = cast(any, as: Map<String, AnyRealmValue>.self) { return .dictionary(map) }
        if let value = Int.convert(any) { return .int(value) }
        if let value = Double.convert(any) { return .double(value) }
        if let entries = CollectionContents.entries(any) {
            let values = entries.map { ($0.key, fromAny($0.value)) }
            if values.contains(where: { $0.1 == nil }) { return nil }
            return .fromDictionary(
                Dictionary(values.map { ($0, $1!) }, uniquingKeysWith: { first, _ in first }))
        }
        // A list would have an order that the set does not have.
        guard !isSet(any), let elements = CollectionContents.elements(ofSequence: any) else { return nil }
        let values = elements.compactMap { fromAny($0) }
        return values.count == elements.count ? .fromArray(values) : nil
    }

    /// Returns whether a value is a set of Swift, of Foundation or of a model.
    private static func isSet(_ any: Any) -> Bool {
        Mirror(reflecting: any).displayStyle == .set || cast(any, as: NSSet.self) != nil
            || modelCollection(any, .set) != nil
    }

    static var elementKind: ElementKind { .any }
    static func element(_ cell: Cell, _ context: CollectionContext) -> AnyRealmValue {
        context.instance.unsafelyUnwrapped.anyValue(cell)
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> AnyRealmValue
    {
        loadTagged(address, 0) ?? element(AnySlot(address, 0).cell, context)
    }
    static func elementCell(_ element: AnyRealmValue, _ context: CollectionContext) -> Cell {
        if let cell = element.plainCell { return cell }
        guard let instance = context.instance else {
            trap("An object, a list or a dictionary has to be looked up in a realm.")
        }
        return instance.anyCell(element)
    }
    static func isSameElement(_ element: AnyRealmValue, _ other: AnyRealmValue) -> Bool {
        element.isSameElement(as: other)
    }
    static func describeElement(_ type: inout DeclaredType) { describe(&type) }
}

extension AnyRealmValue {
    /// Creates the value from which a number of Foundation was created: JSON has truth values, integers and fractions.
    fileprivate init(_ number: NSNumber) {
        let isDecimal = number is NSDecimalNumber
        switch UInt8(bitPattern: number.objCType.pointee) {
        case _ where number.isTruthValue: self = .bool(number.boolValue)
        case UInt8(ascii: "f") where !isDecimal: self = .float(number.floatValue)
        case UInt8(ascii: "d") where !isDecimal: self = .double(number.doubleValue)
        default: self = Int.convert(number).map { .int($0) } ?? .double(number.doubleValue)
        }
    }
}

extension RealmInstance {
    /// Assigns a property of a row and notifies key-value observers, including those of lists and dictionaries that end.
    func setAny(
        _ value: AnyRealmValue, _ row: RowID, _ column: Int, _ transaction: WriteTransaction,
        _ policy: Realm.UpdatePolicy
    ) {
        let held = transaction.table(row.table).cell(row.key, column, .any)
        if refill(held, with: value, policy) {
            return transaction.touch(CollectionID(table: row.table, column: column, key: row.key))
        }
        let cell = anyCell(value, policy)
        ending([held], cause: (row, column, .wholesale), transaction) {
            checkOpen(transaction, row, target: cell.target)
            transaction.set(cell, row.table, row.key, column)
            reader.pointee.mutations += 1
        }
    }

    /// Makes a change of a property that removes some values of any type. Notifies the key-value observers of the property, and
    /// those of the lists and dictionaries that end.
    func ending(
        _ cells: [Cell], cause: (row: RowID, column: Int, kind: CollectionChangeKind),
        _ transaction: WriteTransaction, _ change: () -> Void
    ) {
        if rowNotifier.isEmpty { return change() }
        let dying = Dictionary(
            grouping: cells.compactMap(\.target).filter { catalog.tables[$0.table].container != nil }
        ) {
            $0.table
        }
        var tables = dying.sorted { $0.key < $1.key }
        guard let first = tables.popLast() else {
            return rowNotifier.changing(cause.row, cause.column, cause.kind, change)
        }
        func proceed(_ body: () -> Void) {
            guard let next = tables.popLast() else { return body() }
            rowNotifier.deleting(self, next.value.map(\.key), next.key, transaction, withLists: false, body)
        }
        proceed {
            rowNotifier.deleting(
                self, first.value.map(\.key), first.key, transaction, cause: cause, withLists: false, change)
        }
    }
}

extension ObjectAdder {
    /// Writes a value of any type into the row of an object that is being added.
    final func storeAny(_ value: AnyRealmValue, _ owner: ObjectBase, _ column: Int) {
        let row = RowID(table: owner.kivoContext.table, key: owner.kivoRow.key)
        guard isUpdating else {
            let cell = instance.anyCell(value, policy)
            if cell != .null { transaction.set(cell, row.table, row.key, column) }
            return
        }
        if isComparing {
            let held = transaction.table(row.table).cell(row.key, column, .any)
            if instance.anyValue(held).isSameValue(as: value) { return }
        }
        instance.setAny(value, row, column, transaction, policy)
    }
}

extension AnyRealmValue {
    /// Returns whether two values are of one case with equal contents. Lists and dictionaries are compared by their contents.
    func isSameValue(as other: AnyRealmValue) -> Bool {
        switch (self, other) {
        case (.list(let a), .list(let b)):
            return a.count == b.count && zip(a.contents, b.contents).allSatisfy { $0.isSameValue(as: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            return a.count == b.count
                && zip(a.entries, b.entries).allSatisfy {
                    $0.key == $1.key && $0.value.isSameValue(as: $1.value)
                }
        case (.object(let a), .object(let b)): return a.isSameObject(as: b)
        default:
            guard let a = plainCell, let b = other.plainCell else { return false }
            return a == b
        }
    }
}
