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

extension StoreLog {
    /// Removes elements without a target from a filled store, and appends the removal to the log, unless it is read-only.
    func removeMissingTargets(from store: inout some CommitReplayer) throws {
        let catalog = store.catalog
        let collections = store.read { MissingTargets.collections(in: $0, catalog) }
        if collections.isEmpty { return }
        do {
            var counts: [String: Int] = [:]
            try store.commit { transaction in
                counts = MissingTargets.remove(from: collections, transaction)
                if !readOnly { try append(transaction, transaction.changeSet()) }
            }
            let removed = counts
            state.withLock { $0.removedElements = removed }
        } catch let error as CommitLogError where error.isPassing {
            // Another process has written since. The next opening removes them.
        }
    }

    /// The name of the log.
    package var name: String { log?.name ?? "" }

    /// The number of elements without a target that were removed when the log was opened, by class and property.
    package var removedElements: [String: Int] { state.withLock { $0.removedElements } }
}

/// The losses in intact records that depend on damaged ones.
final class SalvageLosses {
    /// A kind of loss in a class or one of its properties.
    struct Subject: Hashable {
        var table: String
        var column: String?
        var kind: SalvageReport.Loss.Kind
    }

    private var counts: [Subject: Int] = [:]
    private var saved: [Subject: Int] = [:]

    func note(_ kind: SalvageReport.Loss.Kind, _ table: String, _ column: String? = nil, count: Int = 1) {
        counts[Subject(table: table, column: column, kind: kind), default: 0] += count
    }

    /// Saves the current losses, so that they can be restored if a record turns out to be invalid.
    func save() { saved = counts }

    func restore() { counts = saved }

    /// The losses, by class and property.
    var losses: [SalvageReport.Loss] {
        counts.map { subject, count in
            SalvageReport.Loss(
                kind: subject.kind, className: subject.table, propertyName: subject.column, count: count)
        }.sorted {
            ($0.className, $0.propertyName ?? "", $0.kind.rawValue)
                < ($1.className, $1.propertyName ?? "", $1.kind.rawValue)
        }
    }
}
