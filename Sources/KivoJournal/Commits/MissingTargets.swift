import KivoEngine
import KivoLog

/// Elements without a target in lists and sets of objects. Earlier versions of Kivo stored them when the app inserted nil.
///
/// Commits are replayed with these elements, so that the positions in later commits are right. Afterwards a separate commit
/// removes the elements: the positions in the commits after it do not count them.
final class MissingTargets {
    /// Whether there may be such elements.
    var mayExist = false

    /// The first version of the file format without such elements.
    static let firstVersionWithout: UInt32 = 4

    /// Returns the lists and sets with such elements. O(rows of classes with such properties, and their elements).
    static func collections(in snapshot: Snapshot, _ catalog: Catalog) -> [CollectionID] {
        var collections: [CollectionID] = []
        for table in catalog.tables.indices where !catalog.tables[table].isDerived {
            for (column, spec) in catalog.tables[table].columns.enumerated() where spec.requiresTargets {
                snapshot.table(table).forEachLeaf { leaf in
                    let buffer = leaf.column(column)
                    leaf.occupied.forEach { slot in
                        let sequence = buffer.sequence(slot, .link)
                        // Sets are sorted, with key 0 first.
                        let isMissing =
                            spec.order == .sorted
                            ? sequence.count > 0 && sequence.cell(at: 0).linkKey == 0
                            : !sequence.forEachLinkWhile { $0 != 0 }
                        if isMissing {
                            collections.append(
                                CollectionID(table: table, column: column, key: leaf.key(ofSlot: slot)))
                        }
                    }
                    return true
                }
            }
        }
        return collections
    }

    /// Removes the elements from lists and sets; returns the number of removed elements by class and property.
    static func remove(from collections: [CollectionID], _ transaction: WriteTransaction) -> [String: Int] {
        var counts: [String: Int] = [:]
        for collection in collections {
            let spec = transaction.catalog.tables[collection.table]
            let links = transaction.sequence(collection).links
            for position in links.indices.reversed() where links[position] == 0 {
                transaction.removeElement(at: position, from: collection)
                counts["\(spec.name).\(spec.columns[collection.column].name)", default: 0] += 1
            }
        }
        return counts
    }
}
