/// The result of a query inside an open transaction, updated from the transaction's ``RowLog``.
///
/// A transaction keeps no version from before a change, so elements cannot be compared by their old values. Therefore the
/// elements keep their original order. A changed element leaves its original slot. If it is still in
/// the result, it moves to the added elements, which are ordered by current values. So the elements in original slots are
/// unchanged, and comparisons with them are valid.
///
/// Not thread-safe; belongs to the transaction's thread.
package final class FollowedResult {
    /// An element that left its original slot, or was added later.
    private struct Added {
        var token: Int64
        /// The number of original slots before it.
        var slot: Int
    }

    private let query: RowQuery
    private let dependencies: Dependencies
    private let elements: Elements
    private let order: ElementOrder
    private let log: RowLog
    private var logPosition: Int

    /// The elements in their original order.
    private let original: [Int64]
    /// The first slot of each element; empty if the elements ascend.
    private var slots: [Int64: Int] = [:]
    private var present: PresenceTree
    /// The added elements in result order, which is also the order of their slots.
    private var added: [Added] = []
    /// For a list: pairs of an object and the token of one of its occurrences, by object.
    private var occurrences: [(key: ObjectKey, token: Int64)] = []

    /// Evaluates the query. `follow(_:_:)` then applies what is logged from here on. O(n), plus the cost of sorting.
    package init(_ query: RowQuery, _ log: RowLog, _ snapshot: Snapshot, _ catalog: Catalog) {
        precondition(query.canBeFollowed, "plain values, distinct elements and windows are not followed")
        self.query = query
        self.log = log
        logPosition = log.end
        dependencies = Dependencies(query, catalog)
        (elements, original) = query.arranged(snapshot, catalog)
        present = PresenceTree(count: original.count)
        var keys: [SortKey] = []
        for case .sort(let more) in query.steps { keys = more + keys }
        order = ElementOrder(keys)
        if !keys.isEmpty {
            for (slot, token) in original.enumerated().reversed() { slots[token] = slot }
        }
        if case .positions(let keys, _) = elements {
            occurrences = keys.enumerated().map { ($0.element, Int64($0.offset)) }
            occurrences.sort { $0 < $1 }
        }
    }

    /// Returns whether the result follows a log.
    package func follows(_ other: RowLog?) -> Bool { log === other }

    /// The number of elements. O(1).
    package var count: Int { present.count + added.count }

    /// Returns the object at a position. O(log² n).
    package func key(at position: Int) -> ObjectKey {
        var (low, high) = (0, added.count)
        while low < high {
            let middle = (low + high) / 2
            if present.rank(added[middle].slot) + middle < position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if low < added.count, present.rank(added[low].slot) + low == position {
            return elements.key(added[low].token)
        }
        return elements.key(original[present.select(position - low)])
    }

    /// The objects in order. O(n).
    package var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        var next = 0
        for slot in 0...original.count {
            while next < added.count, added[next].slot <= slot {
                keys.append(elements.key(added[next].token))
                next += 1
            }
            if slot < original.count, present.contains(slot) { keys.append(elements.key(original[slot])) }
        }
        return keys
    }

    // MARK: Following

    /// Applies the entries that were logged since the last call. Returns false if the log does not suffice or if evaluating the
    /// query again is cheaper. The caller must then evaluate the query again.
    package func follow(_ snapshot: Snapshot, _ catalog: Catalog) -> Bool {
        guard let entries = log.entries(since: logPosition), !entries.isEmpty else { return false }
        logPosition = log.end
        let limit = 256 + original.count / 8
        guard entries.count <= limit * 8, let keys = touched(entries, snapshot, catalog), keys.count <= limit
        else { return false }
        // Each touched object is compared with all added elements.
        guard keys.count * (added.count + keys.count) <= 16 * (original.count + 256) else { return false }
        for key in keys { for token in tokens(of: key, snapshot) { remove(token) } }
        let table = query.source.table!
        for key in keys where isElement(key, snapshot) && query.holds(key, table, snapshot) {
            for token in tokens(of: key, snapshot) { insert(token, snapshot) }
        }
        return added.count <= limit
    }

    /// Returns the objects whose membership or position may have changed, each once. Returns nil if the source was changed in a
    /// way that the log does not describe.
    private func touched(
        _ entries: ArraySlice<RowLog.Entry>, _ snapshot: Snapshot, _ catalog: Catalog
    ) -> [ObjectKey]? {
        var keys: [ObjectKey] = []
        var isIndirect = false
        for entry in entries {
            let (table, column) = (Int(entry.table), Int(entry.column))
            switch query.source {
            case .list(let id, _), .set(let id, _):
                guard table == id.table, entry.key == id.key else { break }
                if entry.kind == .row || (entry.kind == .assigned && column == id.column) { return nil }
            case .origins(let origins, _):
                if table == origins.table, column == origins.column { keys.append(entry.key) }
            case .table, .values: break
            }
            if table == query.source.table, entry.kind == .row || dependencies.ownColumns!.contains(column) {
                keys.append(entry.key)
            }
            if entry.kind != .row, dependencies.areIndirectlyAffected(by: table, column) { isIndirect = true }
        }
        if isIndirect {
            keys += ChangeTraversals(RowChangeSet(entries, catalog), snapshot, catalog).rows(dependencies)
        }
        return keys.count > 1 ? Array(Set(keys)) : keys
    }

    /// Returns all tokens that may represent an object in the result and may have to be removed.
    private func tokens(of key: ObjectKey, _ snapshot: Snapshot) -> [Int64] {
        switch query.source {
        case .table, .set, .values: return [key]
        case .origins(let origins, let target):
            let count = snapshot.backlinks(origins.backlinks, of: target).count(of: key)
            return Array(repeating: key, count: max(count, 1))
        case .list:
            let first = occurrences.partitionPoint { $0.key < key }
            return occurrences[first...].prefix { $0.key == key }.map { $0.token }
        }
    }

    /// Whether the source contains an object that exists. A list counts as unchanged here: after an edit it is not followed.
    private func isElement(_ key: ObjectKey, _ snapshot: Snapshot) -> Bool {
        switch query.source {
        case .table, .list, .values: true
        case .set(let id, _): snapshot.sequence(id, .link).count(of: key) > 0
        case .origins(let origins, let target):
            snapshot.backlinks(origins.backlinks, of: target).count(of: key) > 0
        }
    }

    private func remove(_ token: Int64) {
        if !added.isEmpty { added.removeAll { $0.token == token } }
        var slot =
            order.keys.isEmpty ? original.partitionPoint { $0 < token } : slots[token] ?? original.count
        // If an origin refers to its target several times, its occurrences are adjacent.
        while slot < original.count, original[slot] == token {
            present.remove(slot)
            slot += 1
        }
    }

    private func insert(_ token: Int64, _ snapshot: Snapshot) {
        let entry = order.ranked(token, elements, snapshot)
        func isBefore(_ other: Int64) -> Bool {
            order.compare(order.ranked(other, elements, snapshot), entry, elements, snapshot) < 0
        }
        var (low, high) = (0, present.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(original[present.select(middle)]) { low = middle + 1 } else { high = middle }
        }
        let slot = low < present.count ? present.select(low) : original.count
        added.insert(Added(token: token, slot: slot), at: added.partitionPoint { isBefore($0.token) })
    }
}

extension RowQuery {
    /// A Boolean value that indicates whether a ``FollowedResult`` can follow the query.
    package var canBeFollowed: Bool { source.table != nil && !selectsByOrder }
}
