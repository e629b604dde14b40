import Foundation
import KivoEngine

/// Values of any type in conditions, and their aggregates.
extension AnyRealmValue {
    /// Returns the cell of a value that is compared with values of any type. Throws if the value cannot be compared with them.
    static func comparedCell(_ value: Any, _ type: String) throws(QueryMismatch) -> Cell {
        guard let any = fromAny(value) else {
            throw QueryMismatch("\(RefusedValue(value)) cannot be compared with \(type).")
        }
        if let cell = any.plainCell { return cell }
        switch any {
        case .object(let object):
            guard object.isManaged, object.locate() else { return .unmanaged(object) }
            return .typedLink(RowID(table: object.kivoContext.table, key: object.kivoRow.key))
        case .list(let list): return list.reference.map(container) ?? .unmanaged(list)
        case .dictionary(let map): return (map.references?.keys).map(container) ?? .unmanaged(map)
        default: return .null
        }
    }

    private static func container(_ reference: CollectionReference) -> Cell {
        .typedLink(RowID(table: reference.id.table, key: reference.id.key))
    }

    /// Returns a value, or values, in which objects of other stores are replaced by a value that equals nothing.
    static func localized(_ value: Any?, in store: Store) -> Any? {
        func isForeign(_ value: Any?) -> Bool {
            let object = (value as? AnyRealmValue).flatMap(AnyRealmValue.toAny) ?? value
            guard let object = object as? ObjectBase else { return false }
            return !object.isManaged || object.kivoInstance?.store !== store
        }
        let value = flatten(value)
        if isForeign(value) { return AnyRealmValue.list(List()) }
        guard value is any Swift.Sequence, let elements = CollectionContents.elements(of: value) else {
            return value
        }
        return elements.map { isForeign(flatten($0)) ? AnyRealmValue.list(List()) as Any : $0 }
    }

    /// Returns the values to which some steps lead.
    func values(at steps: ArraySlice<AnyStep>) -> [AnyRealmValue] {
        guard let step = steps.first else { return [self] }
        let next: [AnyRealmValue]
        switch (step, self) {
        case (.size, .list(let list)): next = [.int(list.count)]
        case (.size, .dictionary(let map)): next = [.int(map.count)]
        case (.all, .list(let list)): next = list.contents
        case (.all, .dictionary(let map)): next = map.values
        case (.all, _): next = []
        case (.index(let index), .list(let list)):
            let position = index < 0 ? list.count + index : index
            next = [position >= 0 && position < list.count ? list[position] : .none]
        case (.key(.string(let key)), .dictionary(let map)): next = [map[key] ?? .none]
        default: next = [.none]
        }
        return next.flatMap { $0.values(at: steps.dropFirst()) }
    }

    /// Returns a number of any type as a decimal.
    static func decimal(_ cell: Cell) -> Decimal128 {
        switch AnyRealmValue(plain: cell) {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128.convert(Double(value)) ?? .nan
        case .double(let value): Decimal128.convert(value) ?? .nan
        case .decimal128(let value): value
        default: .nan
        }
    }

    /// The arithmetic of values of any type: sums and averages are decimals.
    static var arithmetic: Aggregate.Arithmetic {
        .custom { DecimalCells(decimal, cell: { AnyRealmValue.decimal128($0).plainCell! }) }
    }
}

extension Cell {
    /// Returns a link that stands for an unmanaged object, list or dictionary, and equals only another one to the same object. It
    /// is valid as long as the object lives.
    ///
    /// Conditions compare cells, which cannot hold references to objects. So the link has the address as its key, in a table
    /// that no catalog has: the numbers of tables are stored in 32 bits.
    fileprivate static func unmanaged(_ object: AnyObject) -> Cell {
        let noTable: TableID = Int(UInt32.max)
        let address = Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return .typedLink(RowID(table: noTable, key: ObjectKey(address)))
    }
}

extension QueryValueType {
    /// A closure that converts values of this type to values of any type; nil if they cannot be converted.
    var anyCell: (@Sendable (Cell) -> Cell)? {
        switch self {
        case .instance: return nil
        case .object(let context):
            let table = context.table
            return { $0.linkKey == 0 ? .null : .typedLink(RowID(table: table, key: $0.linkKey)) }
        case .scalar(let scalar):
            if scalar == .any { return { $0 } }
            guard let tag = scalar.tag else { return nil }
            return { cell in
                switch cell {
                case .word(let word): .typedWord(word, tag)
                case .wide(let a, let b): .typedWide(a, b, tag)
                default: cell
                }
            }
        }
    }
}

/// Access to lists and dictionaries inside values of any type. A missing position or key, and a value that is not a list or
/// dictionary, count as nil.
extension Query where T == AnyRealmValue {
    /// The element of a list at a position.
    public subscript(position: Int) -> Query<AnyRealmValue> { appending(.index(position)) }

    /// The value of a dictionary for a key.
    public subscript(key: String) -> Query<AnyRealmValue> { appending(.key(key)) }

    /// All elements of a list, or all values of a dictionary. A comparison holds if it holds for one of them.
    public var any: Query<AnyRealmValue> { appending(.all) }
}

extension AnyRealmValue: _QueryString {}
