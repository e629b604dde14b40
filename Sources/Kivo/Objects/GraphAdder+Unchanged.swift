import Foundation
import KivoEngine
import KivoObserving

/// Given values that rows store already. Most updates from the data of a server change a few properties of a few objects: what is
/// equal is neither written nor needs an object.
///
/// A comparison runs no code of the app, which could move the rows while they are compared. So objects, values of the app's types,
/// sets and maps count as different. They are written like values that differ, and compared again on that way.
extension GraphAdder {
    /// The largest depth of nested objects that a comparison reaches. If an object differs, the objects inside of it are compared
    /// a second time: without a limit the cost would not be proportional to the values.
    private static let comparedDepth = 4

    /// Returns the row that stores all given values already, or nil if there is something to write.
    ///
    /// - Parameter key: The row to compare; 0 for the one with the primary key among the values.
    func unchangedRow(_ context: TableContext, _ values: InitialValues, at key: ObjectKey) -> ObjectKey? {
        guard policy == .modified, case .dictionary(let values) = values,
            let row = row(context, values, at: key), stores(values, context, row, depth: 0)
        else { return nil }
        return row.key
    }

    /// Returns whether a row that existed before stores a given value of a property already.
    func stores(_ value: Any, _ property: PropertyInfo, _ context: TableContext, _ key: ObjectKey) -> Bool {
        guard let row = transaction.table(context.table).row(key) else { return false }
        return stores(value, property, context, row, depth: 0)
    }

    private func row(_ context: TableContext, _ values: [String: Any], at key: ObjectKey) -> Row? {
        let table = transaction.table(context.table)
        if key != 0 { return table.row(key) }
        guard let property = context.info.primaryKey, let value = values[property.name],
            let cell = property.type.cell(ofPlain: value), let key = context.key(primaryKey: cell)
        else { return nil }
        return table.row(key)
    }

    private func stores(_ values: [String: Any], _ context: TableContext, _ row: Row, depth: Int) -> Bool {
        for property in context.info.storedProperties {
            if let value = values[property.name],
                !stores(value, property, context, row, depth: depth)
            {
                return false
            }
        }
        return true
    }

    private func stores(
        _ value: Any, _ property: PropertyInfo, _ context: TableContext, _ row: Row, depth: Int
    ) -> Bool {
        if property.type.isMapped || property.type.isEnum { return false }
        switch property.type.collection {
        case .none where property.isLink:
            let key = ObjectKey(bitPattern: row.leaf.column(property.column).word(row.slot))
            guard let values = exactly(value, [String: Any].self) else {
                return key == 0 && nonNull(value) == nil
            }
            return isTarget(key, values, property, context, depth: depth)
        case .none:
            guard let cell = property.type.cell(ofPlain: value) else { return false }
            return row.leaf.column(property.column).contains(cell, row.slot, property.columnKind)
        case .list:
            let sequence = row.leaf.column(property.column).sequence(row.slot, property.type.elementKind)
            return property.isLinking
                ? leads(sequence, to: value, property, context, depth: depth)
                : property.type.cells(ofPlain: value).map { sequence.consists(of: $0) } ?? false
        case .set, .map, .linkingObjects: return false
        }
    }

    /// Returns whether the objects of a list store values, and would be those of the list after writing the values.
    private func leads(
        _ sequence: PersistentSequence, to value: Any, _ property: PropertyInfo, _ context: TableContext,
        depth: Int
    ) -> Bool {
        guard let values = dictionaries(value), values.count == sequence.count else { return false }
        var position = -1
        return sequence.forEachLinkWhile {
            position += 1
            return isTarget($0, values[position], property, context, depth: depth)
        }
    }

    /// Returns whether a link leads to an object that stores values, and would lead there after writing them.
    private func isTarget(
        _ key: ObjectKey, _ values: [String: Any], _ property: PropertyInfo, _ context: TableContext,
        depth: Int
    ) -> Bool {
        if key == 0 || depth == GraphAdder.comparedDepth { return false }
        let target = context.target(of: property)
        // An embedded object is updated where it is, another one is found by its primary key.
        guard let row = row(target, values, at: property.isOwning ? key : 0), row.key == key else {
            return false
        }
        return stores(values, target, row, depth: depth + 1)
    }
}
