import Foundation
import KivoEngine
import KivoObserving

/// Given values that rows store already. Most updates from the data of a server change a few properties of a few objects: what is
/// equal is neither written nor needs an object.
///
/// A comparison runs no code of the app, which could move the rows while they are compared. So objects, values of the app's types,
/// sets and maps count as different. They are written like values that differ, and compared again on that way.
extension GraphAdder {
    /// The number of nested objects through which one comparison goes. Behind a difference each of them is compared again,
    /// so that a limit keeps the cost proportional to the values.
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
    func stores(_ value: Any?, _ property: PropertyInfo, _ context: TableContext, _ key: ObjectKey) -> Bool {
        guard let value, let row = transaction.table(context.table).row(key) else { return false }
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
                : consists(sequence, of: value, property.type)
        case .set, .map, .linkingObjects: return false
        }
    }

    /// Returns whether the objects of a list store values, and would be those of the list after writing the values.
    private func leads(
        _ sequence: PersistentSequence, to value: Any, _ property: PropertyInfo, _ context: TableContext,
        depth: Int
    ) -> Bool {
        var position = -1
        if let values = exactly(value, [[String: Any]].self) {
            return values.count == sequence.count
                && sequence.forEachLinkWhile {
                    position += 1
                    return isTarget($0, values[position], property, context, depth: depth)
                }
        }
        guard let values = exactly(value, [Any].self), values.count == sequence.count else { return false }
        return sequence.forEachLinkWhile {
            position += 1
            guard let values = exactly(values[position], [String: Any].self) else { return false }
            return isTarget($0, values, property, context, depth: depth)
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

    /// Returns whether a list of plain values has the elements of a value.
    private func consists(_ sequence: PersistentSequence, of value: Any, _ type: DeclaredType) -> Bool {
        // The types of arrays in dictionaries: other arrays would be converted element by element.
        if let texts = exactly(value, [String].self) {
            guard type.scalar == .string else { return false }
            return sequence.consists(of: texts.count) { .string(texts[$0]) }
        }
        if let numbers = exactly(value, [Int].self), type.scalar == .int {
            return sequence.consists(of: numbers.count) { .word(numbers[$0].word) }
        }
        guard let values = exactly(value, [Any].self) ?? value as? [Any] else { return false }
        return sequence.consists(of: values.count) { type.cell(ofPlain: values[$0]) }
    }
}
