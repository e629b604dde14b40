extension ElementSelection {
    /// The effect of a change on the source's elements.
    enum SourceChange {
        case none
        /// The query must be evaluated again.
        case wholesale
        /// A collection of plain values was edited so much that the query must be evaluated again.
        case values(CollectionChanges)
        case elements(removals: [Int64], insertions: [Int64])
        case occurrences(OccurrenceIndex, OccurrenceEdit)
    }

    /// Returns the effect of changes since a snapshot on the elements, before they are grouped. The cost depends on the changes.
    mutating func change(_ traversals: ChangeTraversals, _ old: Snapshot) -> SourceChange {
        let (changes, new) = (traversals.changes, traversals.snapshot)
        switch query.source {
        case .table(let table):
            let touched = touched(traversals)
            if touched.isEmpty { return .none }
            if isWholesale(touched.count, new.table(table).count) { return .wholesale }
            return rowsChange(touched, table, old, new)
        case .values(let id, let element): return valuesChange(id, element, changes, old, new)
        case .set(let id, let target):
            if isOwnerReplaced(id, changes) { return .wholesale }
            let (before, after) = (old.sequence(id, .link), new.sequence(id, .link))
            var touched = touched(traversals)
            if let edit = changes.sequences[id]?.resolve() {
                touched += edit.deletions.map { before.cell(at: $0).linkKey }
                touched += edit.insertions.map { after.cell(at: $0).linkKey }
            }
            return multiset(touched, target, { before.count(of: $0) }, { after.count(of: $0) }, old, new)
        case .origins(let origins, let key):
            let (before, after) = (
                old.backlinks(origins.backlinks, of: key), new.backlinks(origins.backlinks, of: key)
            )
            var touched = touched(traversals)
            if changes.backlinks(origins.backlinks)?.state(of: key) ?? .untouched != .untouched
                || !new.table(origins.backlinks).contains(key)
            {
                // Rows that gained or lost a reference to the target were themselves assigned, inserted or deleted.
                changes.table(origins.table)?.forEachTouched(in: [origins.column]) { touched.append($0) }
            }
            return multiset(
                touched, origins.table, { before.count(of: $0) }, { after.count(of: $0) }, old, new)
        case .list(let id, let target): return listChange(id, target, traversals, old)
        }
    }

    /// Returns the change of a source that holds rows of a table in the order of their keys.
    private func rowsChange(
        _ touched: [ObjectKey], _ table: TableID, _ old: Snapshot, _ new: Snapshot
    ) -> SourceChange {
        var (removals, insertions): ([Int64], [Int64]) = ([], [])
        let (oldTable, newTable) = (old.table(table), new.table(table))
        for key in touched {
            let (before, after) = (holds(key, oldTable, old), holds(key, newTable, new))
            if before, after, !exchangesRetained { continue }
            if before { removals.append(key) }
            if after { insertions.append(key) }
        }
        return removals.isEmpty && insertions.isEmpty
            ? .none : .elements(removals: removals, insertions: insertions)
    }

    private func isWholesale(_ touched: Int, _ count: Int) -> Bool {
        touched > 64 && touched > count / wholesaleShare
    }

    private func isOwnerReplaced(_ id: CollectionID, _ changes: RowChangeSet) -> Bool {
        switch changes.table(id.table)?.state(of: id.key) {
        case .deleted, .inserted: true
        default: false
        }
    }

    /// Returns the change of a source that holds objects in the order of their keys, each possibly several times.
    private func multiset(
        _ touched: [ObjectKey], _ table: TableID, _ before: (ObjectKey) -> Int, _ after: (ObjectKey) -> Int,
        _ old: Snapshot, _ new: Snapshot
    ) -> SourceChange {
        let elements = Set(touched).compactMap { key -> (key: ObjectKey, before: Int, after: Int)? in
            let (before, after) = (before(key), after(key))
            return before + after > 0 ? (key, before, after) : nil
        }
        if isWholesale(elements.count, query.source.count(new)) { return .wholesale }
        var (removals, insertions): ([Int64], [Int64]) = ([], [])
        for (key, before, after) in elements {
            if before > 0, query.holds(key, table, old) { removals += repeatElement(key, count: before) }
            if after > 0, query.holds(key, table, new) { insertions += repeatElement(key, count: after) }
        }
        return removals.isEmpty && insertions.isEmpty
            ? .none : .elements(removals: removals, insertions: insertions)
    }

    private mutating func valuesChange(
        _ id: CollectionID, _ element: ElementKind, _ changes: RowChangeSet, _ old: Snapshot, _ new: Snapshot
    ) -> SourceChange {
        if isOwnerReplaced(id, changes) { return .wholesale }
        guard let edit = changes.sequences[id]?.resolve() else { return .none }
        let edits = edit.deletions.count + edit.insertions.count + edit.modifications.count
        guard case .valueOccurrences(let index, _, _) = elements,
            !isWholesale(edits, query.source.count(new))
        else { return .values(edit) }
        // An assigned or moved element keeps its identity, unless it was both moved and assigned.
        var numbers: [Int: Int64] = [:]
        for (before, after) in zip(edit.modificationsOld, edit.modifications) {
            numbers[after] = index.key(of: index.occurrence(at: before))
        }
        for move in edit.moves where query.source.areSame(move.from, old, move.to, new) {
            numbers[move.to] = index.key(of: index.occurrence(at: move.from))
        }
        var result = OccurrenceEdit(edit, of: index) { numbers[$0] ?? makeNumber() }
        result.viewRemovals = result.removed.map(Int64.init)
        if let predicate = query.predicate {
            let (before, after) = (old.sequence(id, element), new.sequence(id, element))
            result.viewRemovals.removeAll {
                !predicate.holds(before.cell(at: index.position(of: Int($0))), old)
            }
            result.isMember = { position, _ in predicate.holds(after.cell(at: position), new) }
        }
        result.assigned = edit.modifications
        return .occurrences(index, result)
    }

    private func listChange(
        _ id: CollectionID, _ table: TableID, _ traversals: ChangeTraversals, _ old: Snapshot
    ) -> SourceChange {
        let (changes, new) = (traversals.changes, traversals.snapshot)
        guard !isOwnerReplaced(id, changes), case .occurrences(let index, _) = elements else {
            return .wholesale
        }
        let touched = touched(traversals)
        if touched.isEmpty, changes.sequences[id] == nil { return .none }
        let edit = changes.sequences[id]?.resolve() ?? CollectionChanges()
        let editCount = edit.deletions.count + edit.insertions.count
        let sequence = new.sequence(id, .link)
        if isWholesale(touched.count + editCount, sequence.count) { return .wholesale }
        var result = OccurrenceEdit(edit, of: index) { sequence.cell(at: $0).linkKey }
        let removed = Set(result.removed)
        for key in touched {
            index.forEachOccurrence(of: key) { if !removed.contains($0) { result.touched.append($0) } }
        }
        result.viewRemovals = (result.removed + result.touched).map(Int64.init)
            .filter { query.holds(elements.key($0), table, old) }
        result.retained = result.touched.map(Int64.init).filter { query.holds(elements.key($0), table, new) }
        result.isMember = { [query] _, key in query.holds(key, table, new) }
        return .occurrences(index, result)
    }
}
