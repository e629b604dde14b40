/// The result of a query, kept up to date from change sets. The cost of an update depends on the change, not on the number of
/// elements.
///
///     source ──► predicate ──► [ distinct ──► … ] ──► order tree ──► [ window ]
///                              trees of groups        positions
///
/// An update removes the elements whose position may have changed, comparing them within the old snapshot. Then it inserts them
/// again, comparing them within the new one. If too many elements are touched, the query is evaluated again, which is faster, and
/// the results are compared. All elements are in the tree, also those outside of the query's window.
///
/// Not thread-safe; belongs to its observer. Snapshots are only used during calls.
package final class MaintainedView {
    @exclusivity(unchecked) private(set) var selection: ElementSelection
    @exclusivity(unchecked) private var order = ElementOrder([])
    @exclusivity(unchecked) private var tree = OrderTree()
    /// The stage that groups the elements into sections, or nil if the view has none.
    let sections: SectionStage?
    /// The positions in the tree whose elements are those of the view; nil for all.
    private let window: ResultWindow?
    private let isRead: Bool

    /// Whether an element's position follows from the source alone. Then an element that is in both versions of the source does
    /// not move.
    var isInSourceOrder: Bool { !selection.isGrouped && order.keys.isEmpty }
    var elements: Elements { selection.elements }

    /// Evaluates a query in a snapshot. O(n), plus the cost of sorting.
    ///
    /// - Parameter dependencies: the query's dependencies; nil to compute them.
    package convenience init(
        _ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog, _ dependencies: Dependencies? = nil
    ) {
        self.init(query, snapshot, catalog, dependencies, sections: nil)
    }

    /// Creates a view whose elements are also grouped into sections, unless `sections` is nil.
    ///
    /// - Parameter isRead: whether an element that stays in place counts as changed if something changed on which it depends.
    init(
        _ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog, _ dependencies: Dependencies?,
        sections: SectionStage?, isRead: Bool = false
    ) {
        precondition(sections == nil || query.window == nil, "sections have no windows")
        (self.sections, self.isRead) = (sections, isRead)
        window = query.window
        // Beyond that, re-evaluation is faster than incremental maintenance. Measured with 200,000 rows: sorted and filtered views
        // cross at a quarter, distinct ones at an eighth.
        selection = ElementSelection(
            query, dependencies ?? Dependencies(query, catalog), furtherDependencies: sections?.dependencies,
            wholesaleShare: query.isDistinct ? 8 : 4)
        build(snapshot, catalog)
    }

    private func build(_ snapshot: Snapshot, _ catalog: Catalog) {
        let (tokens, sorting) = selection.evaluate(snapshot, catalog)
        order = ElementOrder(sorting)
        tree = OrderTree()
        selection.exchangesRetained = !isInSourceOrder || sections != nil || isRead
        let entries = order.sorted(tokens, areInSourceOrder: !selection.isGrouped, elements, snapshot)
        tree.fill(entries)
        sections?.build(entries, order, elements)
        selection.beginFollowing()
    }

    // MARK: Reading

    /// The positions in the tree of the view's elements.
    private var range: Range<Int> { window?.range(of: tree.count) ?? 0..<tree.count }

    /// The number of elements. O(1).
    package var count: Int { range.count }

    /// Returns the object at a position; for plain values, the value's position in the source. O(log n).
    package func key(at position: Int) -> ObjectKey {
        elements.result(tree[range.lowerBound + position].token)
    }

    /// The objects in order; for plain values, the values' positions in the source. O(n).
    package var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        forEachToken { keys.append(elements.result($0)) }
        return keys
    }

    /// The elements in order. O(n).
    var tokens: [Int64] {
        var tokens: [Int64] = []
        tokens.reserveCapacity(count)
        forEachToken { tokens.append($0) }
        return tokens
    }

    private func forEachToken(_ body: (Int64) -> Void) { tree.forEach(in: range) { body($0.token) } }

    /// The objects in their current order, which stay as they are; nil if the elements are not rows themselves. O(1).
    package var frozenOrder: FrozenOrder? {
        if case .rows = elements { tree.frozen(range) } else { nil }
    }

    /// Calls `body` with each object in order until it returns false. O(n).
    package func forEachKeyWhile(_ body: (ObjectKey) -> Bool) {
        tree.forEachWhile(in: range) { body(elements.result($0.token)) }
    }

    /// Calls `body` with each position of an object in the view's current snapshot, in no particular order. O(log n) each.
    package func forEachPosition(of key: ObjectKey, _ snapshot: Snapshot, _ body: (Int) -> Void) {
        let range = range
        forEachTreePosition(of: key, snapshot) { position in
            if range.contains(position) { body(position - range.lowerBound) }
        }
    }

    private func forEachTreePosition(of key: ObjectKey, _ snapshot: Snapshot, _ body: (Int) -> Void) {
        switch elements {
        case .values, .positions, .valueOccurrences: return
        case .occurrences(let index, _):
            index.forEachOccurrence(of: key) { occurrence in
                if let position = position(ofToken: Int64(occurrence), snapshot) { body(position) }
            }
        case .rows:
            if case .table = selection.query.source {
                if let position = position(ofRow: key, snapshot) { body(position) }
                return
            }
            guard var position = position(ofToken: key, snapshot) else { return }
            while position < tree.count, tree[position].token == key {
                body(position)
                position += 1
            }
        }
    }

    /// Returns the positions of objects in order, without some other positions, which ascend. O(n).
    package func positions(of keys: KeySet, without excluded: [Int]) -> [Int] {
        var positions: [Int] = []
        var (position, next) = (0, 0)
        forEachToken { token in
            defer { position += 1 }
            guard keys.contains(elements.result(token)) else { return }
            while next < excluded.count, excluded[next] < position { next += 1 }
            if next == excluded.count || excluded[next] != position { positions.append(position) }
        }
        return positions
    }

    /// Returns the position of a row. The source must contain each row once.
    @inline(__always)
    private func position(ofRow key: ObjectKey, _ snapshot: Snapshot) -> Int? {
        guard isInSourceOrder else { return position(ofToken: key, snapshot) }
        // In source order, a row's rank is its key.
        let position = tree.partitionPoint { $0.rank < key }
        return position < tree.count && tree[position].token == key ? position : nil
    }

    private func position(ofToken token: Int64, _ snapshot: Snapshot) -> Int? {
        let entry = order.ranked(token, elements, snapshot)
        let position = tree.partitionPoint { order.compare($0, entry, elements, snapshot) < 0 }
        return position < tree.count && tree[position].token == token ? position : nil
    }

    /// Calls `body` with each token of an object that may be in the view. O(1) each.
    func forEachToken(of key: ObjectKey, _ body: (Int64) -> Void) {
        switch elements {
        case .values, .positions, .valueOccurrences: return
        case .occurrences(let index, _): index.forEachOccurrence(of: key) { body(Int64($0)) }
        case .rows: body(key)
        }
    }

    // MARK: Following changes

    /// Applies the changes since a snapshot and returns how the order of the elements differs. Views that are notified of the
    /// same changes share the traversals.
    package func update(_ traversals: ChangeTraversals, old: Snapshot) -> ViewChange {
        apply(change(traversals, old), traversals, old: old)
    }

    /// Applies the effect of changes on the elements, as ``change(_:_:)`` returned it.
    func apply(
        _ change: ElementSelection.SourceChange, _ traversals: ChangeTraversals, old: Snapshot
    ) -> ViewChange {
        let (new, catalog) = (traversals.snapshot, traversals.catalog)
        switch change {
        case .none: return ViewChange()
        case .wholesale: return reevaluate(new, catalog)
        case .values(let edit): return reevaluateValues(old, new, catalog, edit)
        case .elements(let removals, let insertions):
            let oldCount = tree.count
            return windowed(exchange(removals: removals, insertions: insertions, old, new), from: oldCount)
        case .occurrences(let index, let edit):
            let oldCount = tree.count
            var change = exchangeOccurrences(index, edit, old, new)
            let inserted = Set(change.insertions)
            let assigned = edit.assigned.map { Int64(index.occurrence(at: $0)) }
            change.modifications = assigned.compactMap { position(ofToken: $0, new) }
                .filter { !inserted.contains($0) }.sorted()
            sections?.addModifications(assigned, elements, new)
            return windowed(change, from: oldCount)
        }
    }

    /// Returns whether changes since a snapshot may affect the order of the elements. The view must still be at that snapshot.
    /// The cost depends on the changes.
    package func mayChange(_ traversals: ChangeTraversals, old: Snapshot) -> Bool {
        if case .none = change(traversals, old) { false } else { true }
    }

    /// Returns the effect of changes since a snapshot on the elements, before they are grouped.
    func change(_ traversals: ChangeTraversals, _ old: Snapshot) -> ElementSelection.SourceChange {
        selection.change(traversals, old)
    }

    /// Returns the change of the view's elements for that of the tree's.
    private func windowed(_ change: ViewChange, from oldCount: Int) -> ViewChange {
        window?.change(change, from: oldCount, to: tree.count) ?? change
    }

    private func reevaluate(_ new: Snapshot, _ catalog: Catalog) -> ViewChange {
        let before = keys
        let sectionsBefore = sections?.contents(elements)
        build(new, catalog)
        if let sectionsBefore { sections?.finish(from: sectionsBefore, elements) }
        return SequenceDifference.between(before, keys)
    }

    /// Evaluates a query of plain values again. Values are matched by the edits of the list, not by equality.
    private func reevaluateValues(
        _ old: Snapshot, _ new: Snapshot, _ catalog: Catalog, _ edit: CollectionChanges
    ) -> ViewChange {
        let before = keys
        let sectionsBefore = sections?.contents(elements)
        build(new, catalog)
        let current = { (positions: [Int64]) in
            edit.positions(ofOld: positions) { self.selection.query.source.areSame($0, old, $1, new) }
        }
        let after = keys
        var change = SequenceDifference.between(current(before), after)
        let (assigned, inserted) = (Set(edit.modifications.map(Int64.init)), Set(change.insertions))
        if var sectionsBefore {
            sectionsBefore.rows = sectionsBefore.rows.map(current)
            sections?.finish(from: sectionsBefore, elements, isAssigned: assigned.contains)
        }
        for (position, key) in after.enumerated() where assigned.contains(key) && !inserted.contains(position)
        {
            change.modifications.append(position)
        }
        return change
    }

    private func exchange(
        removals: [Int64], insertions: [Int64], _ old: Snapshot, _ new: Snapshot
    ) -> ViewChange {
        let removed = remove(removals, old)
        return insert(insertions, new, after: removed)
    }

    private func exchangeOccurrences(
        _ index: OccurrenceIndex, _ edit: OccurrenceEdit, _ old: Snapshot, _ new: Snapshot
    ) -> ViewChange {
        let removed = remove(edit.viewRemovals, old)
        let inserted = edit.apply(to: index)
        return insert(edit.retained + inserted, new, after: removed)
    }

    /// The removed elements, by position in the old order.
    private struct Removal {
        var elements: [PositionedKey]
        var oldCount: Int
    }

    private func remove(_ removals: [Int64], _ old: Snapshot) -> Removal {
        let oldCount = tree.count
        let removals = selection.remove(removals, old)
        sections?.remove(removals, elements, old)
        let removed = order.remove(removals, from: &tree, elements, old)
        return Removal(elements: removed.map(positionedKey), oldCount: oldCount)
    }

    private func insert(_ insertions: [Int64], _ new: Snapshot, after removal: Removal) -> ViewChange {
        var removed = removal.elements
        let (removals, insertions) = selection.insert(insertions, new)
        if !removals.isEmpty {
            sections?.remove(removals, elements, new)
            let later = order.remove(removals, from: &tree, elements, new)
            removed = EditScript.merge(removed, later.map(positionedKey))
        }
        let entries = order.sorted(insertions, elements, new)
        var inserted: [PositionedKey] = []
        inserted.reserveCapacity(entries.count)
        for entry in entries {
            // Later entries are inserted after this one, so its position is final.
            let position = order.insert(entry, into: &tree, elements, new)
            inserted.append(PositionedKey(position: position, key: elements.key(entry.token)))
        }
        tree.endEdits()
        sections?.insert(insertions, elements, new)
        return EditScript(removed: removed, inserted: inserted, oldCount: removal.oldCount).change()
    }

    private func positionedKey(_ element: PositionedToken) -> PositionedKey {
        PositionedKey(position: element.position, key: elements.key(element.token))
    }
}

extension MaintainedView {
    /// Returns how the view's current order differs from the result in an older snapshot, which is evaluated again. O(n), plus
    /// the cost of sorting.
    package func difference(from old: Snapshot, to new: Snapshot, _ catalog: Catalog) -> ViewChange {
        let before = selection.query.evaluate(old, catalog)
        guard case .values(let id, let element) = selection.query.source else {
            return SequenceDifference.between(before, keys)
        }
        let (oldValues, newValues) = (old.sequence(id, element), new.sequence(id, element))
        return SequenceDifference.between(
            before.map { CellGroup(oldValues.cell(at: Int($0))) },
            keys.map { CellGroup(newValues.cell(at: Int($0))) })
    }

    /// Checks the trees, and that the view equals a fresh evaluation of the query. O(n log n); debug builds only.
    package func checkInvariants(_ snapshot: Snapshot, _ catalog: Catalog) {
        #if DEBUG
        tree.checkInvariants()
        elements.index?.checkInvariants()
        precondition(
            keys == selection.query.evaluate(snapshot, catalog), "a view differs from a fresh evaluation")
        #endif
    }
}
