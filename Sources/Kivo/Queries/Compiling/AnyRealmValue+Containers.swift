import KivoEngine

/// Whole lists and dictionaries in conditions, which compare them by their contents.
extension AnyRealmValue {
    /// Returns the contents of the value, with which conditions compare the values in a store.
    func contents(in store: Store?) -> AnyContents {
        if let cell = plainCell { return .single(cell) }
        switch self {
        case .object(let object):
            guard object.isManaged, object.kivoInstance?.store === store, object.locate() else {
                return .none
            }
            return .single(.typedLink(RowID(table: object.kivoContext.table, key: object.kivoRow.key)))
        case .list(let list): return .list(list.contents.map { $0.contents(in: store) })
        case .dictionary(let map):
            return .dictionary(
                map.entries.map {
                    AnyContents.Entry(key: .string($0.key), value: $0.value.contents(in: store))
                })
        default: return .none
        }
    }

    /// Returns whether conditions treat two values as equal: numbers by their numeric value, lists and dictionaries by their
    /// contents.
    func isEqualInConditions(to other: AnyRealmValue) -> Bool {
        switch (self, other) {
        case (.list(let a), .list(let b)):
            return a.count == b.count
                && zip(a.contents, b.contents).allSatisfy { $0.isEqualInConditions(to: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            return a.count == b.count
                && zip(a.entries, b.entries).allSatisfy {
                    $0.key == $1.key && $0.value.isEqualInConditions(to: $1.value)
                }
        case (.object(let a), .object(let b)): return a.isSameObject(as: b)
        default:
            guard let a = plainCell, let b = other.plainCell else { return false }
            return ValueTest.compare(.equal, a, .mixed).holds(b)
        }
    }
}

extension QueryComparison {
    /// The values with which values of any type are compared, and the test of the Boolean that says whether they equal one of them.
    /// Nil if none of the values is a list or a dictionary.
    var containerTest: (values: [AnyRealmValue], test: ValueTest)? {
        guard options.isEmpty, case .value(let value) = right else { return nil }
        let given: [Any?]
        switch self.operator {
        case .equal, .notEqual, .contains: given = [value]
        case .isIn: given = CollectionContents.elements(of: value) ?? []
        default: return nil
        }
        let values = given.compactMap { AnyRealmValue.fromAny($0) }
        guard values.count == given.count, values.contains(where: \.isContainer) else { return nil }
        let isOne = ValueTest.compare(.equal, true.cell, .natural)
        return (values, self.operator == .notEqual ? .rule { !isOne.holds($0) } : isOne)
    }
}
