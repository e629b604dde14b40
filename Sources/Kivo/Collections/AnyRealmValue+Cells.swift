import Foundation
import KivoEngine

extension AnyRealmValue {
    /// Creates the value of a cell, or nil if the cell is a link.
    @inline(__always)
    init?(plain cell: Cell) {
        switch cell {
        case .null: self = .none
        case .string(let value): self = .string(value)
        case .bytes(let value): self = .data(Data(value))
        case .typedWord(let word, let tag):
            switch tag {
            case .bool: self = .bool(word != 0)
            case .int: self = .int(Int(word: word))
            case .float: self = .float(Float(word: word))
            case .double: self = .double(Double(word: word))
            case .date: self = .date(Date(word: word))
            case .null, .decimal128, .string, .bytes, .objectId, .uuid, .link: return nil
            }
        case .typedWide(let a, let b, let tag):
            switch tag {
            case .decimal128: self = .decimal128(Decimal128(words: (a, b)))
            case .objectId: self = .objectId(ObjectId(words: (a, b)))
            case .uuid: self = .uuid(UUID(words: (a, b)))
            case .null, .bool, .int, .float, .double, .string, .bytes, .date, .link: return nil
            }
        case .typedLink, .word, .wide, .link: return nil
        }
    }

    /// The cell of a value that is no object, list or dictionary; nil for those.
    var plainCell: Cell? {
        switch self {
        case .none: .null
        case .int(let value): .typedWord(value.word, .int)
        case .bool(let value): .typedWord(value.word, .bool)
        case .float(let value): .typedWord(value.word, .float)
        case .double(let value): .typedWord(value.word, .double)
        case .string(let value): .string(value)
        case .data(let value): value.cell
        case .date(let value): .typedWord(value.word, .date)
        case .objectId(let value): .typedWide(value.words.0, value.words.1, .objectId)
        case .decimal128(let value): .typedWide(value.words.0, value.words.1, .decimal128)
        case .uuid(let value): .typedWide(value.words.0, value.words.1, .uuid)
        case .object, .dictionary, .list: nil
        }
    }

    /// Returns whether sets and lookups of elements treat two values as one element.
    func isSameElement(as other: AnyRealmValue) -> Bool {
        if let a = plainCell, let b = other.plainCell { return CellOrder.mixed.compare(a, b) == 0 }
        return self == other
    }
}

extension RealmInstance {
    /// Returns the value of a cell.
    func anyValue(_ cell: Cell) -> AnyRealmValue {
        if let value = AnyRealmValue(plain: cell) { return value }
        guard let row = cell.target else { trap("\(cell) is no value of any type.") }
        // An old version may refer to an object that no longer exists.
        guard table(row.table).contains(row.key) else { return .none }
        switch catalog.tables[row.table].container {
        case .list: return .list(List(anyList(row.key)))
        case .dictionary:
            let map = anyDictionary(row.key)
            return .dictionary(Map(keys: map.keys, values: map.values))
        case nil: return .object(unsafeDowncast(anyContext(row.table).accessor(row.key), to: Object.self))
        }
    }

    /// Returns the context of a class that a value links to.
    private func anyContext(_ table: TableID) -> TableContext {
        classes.declaredContext(of: table) ?? classes.dynamicContext(of: table)
    }

    /// Returns the cell of a value to look up, or nil if no collection of this realm can contain it.
    func existingAnyCell(_ value: AnyRealmValue) -> Cell? {
        if let cell = value.plainCell { return cell }
        switch value {
        case .object(let object):
            guard object.isManaged, object.kivoInstance === self, object.locate() else { return nil }
            return .typedLink(RowID(table: object.kivoContext.table, key: object.kivoRow.key))
        case .list(let list): return list.reference.flatMap { containerCell($0) }
        case .dictionary(let map): return map.references.flatMap { containerCell($0.keys) }
        default: return nil
        }
    }

    private func containerCell(_ reference: CollectionReference) -> Cell? {
        guard reference.instance === self, catalog.tables[reference.id.table].container != nil else {
            return nil
        }
        return .typedLink(RowID(table: reference.id.table, key: reference.id.key))
    }

    /// Returns the cell of a value to store. An unmanaged object is added to the realm. A list or dictionary is copied into rows,
    /// which have no owner yet.
    func anyCell(_ value: AnyRealmValue, _ policy: Realm.UpdatePolicy = .error) -> Cell {
        if let cell = value.plainCell { return cell }
        let transaction = requireTransaction("store a value of any type")
        switch value {
        case .object(let object):
            let key = adder(transaction, policy).add(object)
            // The table comes from the context: the class of a dynamic object does not identify it.
            return .typedLink(RowID(table: object.kivoContext.table, key: key))
        case .list(let list):
            let cells = list.contents.map { anyCell($0, policy) }
            let row = insertContainer(.list, transaction)
            transaction.insertElements(
                cells, at: 0,
                into: CollectionID(table: row.table, column: AnyContainer.list.values, key: row.key))
            return .typedLink(row)
        case .dictionary(let map):
            let entries = map.entries
            for (key, _) in entries { MapReference.checkKey(key) }
            let cells = entries.map { anyCell($0.value, policy) }
            let row = insertContainer(.dictionary, transaction)
            let keys = entries.map { Cell.string($0.key) }
            for (column, cells) in [
                (AnyContainer.dictionary.members, keys), (AnyContainer.dictionary.values, cells),
            ] {
                transaction.insertElements(
                    cells, at: 0, into: CollectionID(table: row.table, column: column, key: row.key))
            }
            return .typedLink(row)
        default: trap("\(RefusedValue(value)) cannot be stored.")
        }
    }

    private func insertContainer(_ kind: AnyContainer, _ transaction: WriteTransaction) -> RowID {
        let table = classes.context(of: kind.type).table
        defer { reader.pointee.mutations += 1 }
        return RowID(table: table, key: transaction.insert(into: table))
    }

    /// Replaces the contents of the list or dictionary in a cell, if a value is of the same kind; otherwise returns false.
    func refill(_ cell: Cell, with value: AnyRealmValue, _ policy: Realm.UpdatePolicy = .error) -> Bool {
        guard let row = cell.target, let kind = catalog.tables[row.table].container else { return false }
        switch (kind, value) {
        case (.list, .list(let list)):
            let cells = list.contents.map { anyCell($0, policy) }
            let reference = anyList(row.key)
            reference.change(.wholesale) {
                $0.removeAllElements(from: reference.id)
                $0.insertElements(cells, at: 0, into: reference.id)
            }
        case (.dictionary, .dictionary(let map)):
            let entries = map.entries
            for (key, _) in entries { MapReference.checkKey(key) }
            let cells = entries.map { (key: $0.key, value: anyCell($0.value, policy)) }
            let reference = anyDictionary(row.key)
            reference.change {
                reference.removeAll($0)
                reference.put(cells, $0)
            }
        default: return false
        }
        return true
    }
}

extension CollectionReference {
    /// Replaces an element of a list of values of any type. If both the old and the new element are lists, or both are
    /// dictionaries, only the contents are replaced.
    func replaceAny(_ value: AnyRealmValue, at index: Int) {
        let transaction = requireTransaction()
        let held = sequence.cell(at: index)
        if instance.refill(held, with: value) { return transaction.touchElement(at: index, in: id) }
        let cell = instance.anyCell(value)
        change(.replacement([index]), ending: held.target == nil ? [] : [held]) {
            checkElement(cell)
            $0.replaceElement(cell, at: index, in: id)
        }
    }
}

extension MapReference {
    /// Replaces the contents of a key's list or dictionary, if the new value is of the same kind; otherwise returns false.
    func refillAny(_ value: AnyRealmValue, at key: String) -> Bool {
        let (position, isEqual) = keys.sequence.lowerBound(.string(key))
        guard isEqual, keys.instance.refill(values.sequence.cell(at: position), with: value) else {
            return false
        }
        values.requireTransaction().touchElement(at: position, in: values.id)
        return true
    }
}

/// The rows of lists in values of ``AnyRealmValue``. The app accesses them only through these values.
final class _AnyList: EmbeddedObject {
    @Persisted var elements: List<AnyRealmValue>
}

/// The rows of dictionaries in values of ``AnyRealmValue``. The app accesses them only through these values.
final class _AnyDictionary: EmbeddedObject {
    @Persisted var entries: Map<String, AnyRealmValue>
}

extension AnyContainer {
    /// The class of the rows.
    var type: ObjectBase.Type { self == .list ? _AnyList.self : _AnyDictionary.self }
}

extension RealmInstance {
    /// Returns the list of a row.
    func anyList(_ key: ObjectKey) -> CollectionReference {
        let context = classes.context(of: _AnyList.self)
        return CollectionReference(context, key, context.info.storedProperties[0])
    }

    /// Returns the dictionary of a row.
    func anyDictionary(_ key: ObjectKey) -> MapReference {
        let context = classes.context(of: _AnyDictionary.self)
        let property = context.info.storedProperties[0]
        return MapReference(
            keys: CollectionReference(context, key, property, element: .string),
            values: CollectionReference(context, key, property, column: property.valuesColumn!))
    }

    /// Returns the property, or the element of a collection property, that contains a list or dictionary at any depth: the row of
    /// an object of the app, the column and, in a list, the position.
    func anyOwner(of container: RowID) -> (row: RowID, column: Int, position: Int?)? {
        var container = container
        while let (owner, column) = snapshot.owner(of: container, catalog) {
            if catalog.tables[owner.table].container == nil {
                let spec = catalog.tables[owner.table].columns[column]
                guard spec.kind == .sequence, spec.order == .insertion else { return (owner, column, nil) }
                let sequence = table(owner.table).sequence(owner.key, column, .any)
                return (owner, column, sequence.firstIndex(of: .typedLink(container)))
            }
            container = owner
        }
        return nil
    }
}
