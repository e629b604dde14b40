/// The effects of a change set along paths: the rows that lead to something that it changed. Each traversal is made once and
/// shared by all callers with the same dependencies.
///
/// A traversal goes backwards along backlinks, from the changes to the rows, so its cost depends on the change. If that leads to
/// more rows than the caller has elements, the traversal goes forwards from the elements instead. So a few changes never cause a
/// visit of all rows that link to a hub, nor of all elements of a large list. See ``ChangeTraversal``.
///
/// Confined to one delivery. The snapshot must stay pinned for as long.
package final class ChangeTraversals {
    /// The changes.
    package let changes: RowChangeSet
    let snapshot: Snapshot
    let catalog: Catalog
    private var traversals: [Dependencies: ChangeTraversal] = [:]
    /// The most recently used traversals. Consecutive listeners mostly need two: one for the dependencies of their results, one
    /// for modifications.
    @exclusivity(unchecked) private var last: ChangeTraversal?
    @exclusivity(unchecked) private var previous: ChangeTraversal?
    /// The cost limit of a traversal before the other direction is tried. Tests set it to 1 so that small traversals change
    /// direction.
    var smallestBudget = 64

    /// Creates traversals for a change set, in the snapshot after the changes.
    package init(_ changes: RowChangeSet, _ snapshot: Snapshot, _ catalog: Catalog) {
        self.changes = changes
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// Summaries of the changed tables, ascending. O(changed leaves) on first access.
    package private(set) lazy var touchedTables = changes.touchedTables

    /// Returns whether the changes touch any of the given tables and columns. O(interests · log tables) plus the cost of
    /// comparing columns, regardless of the number of changed rows.
    package func touches(_ interests: [TableInterest]) -> Bool {
        interests.contains { interest in
            let index = touchedTables.partitionPoint { $0.table < interest.table }
            return index < touchedTables.count && interest.isTouched(by: touchedTables[index])
        }
    }

    /// Returns the affected rows, ascending, each once. May include inserted rows, and deleted rows if the dependencies count them.
    package func rows(_ dependencies: Dependencies) -> [ObjectKey] {
        rows(dependencies, among: .max) { _ in }
    }

    /// Returns affected rows, ascending, each once. The result includes at least the affected rows among the given elements, and
    /// deleted rows if the dependencies count them.
    ///
    /// - Parameters:
    ///   - count: the number of elements.
    ///   - forEachElement: calls its argument with each element until that returns false. It is called only if there are fewer
    ///     elements than rows that the changes lead to.
    package func rows(
        _ dependencies: Dependencies, among count: Int, _ forEachElement: ((ObjectKey) -> Bool) -> Void
    ) -> [ObjectKey] {
        traversal(dependencies)?.rows(among: count, forEachElement) ?? []
    }

    /// Returns the affected rows, ascending, each once, or nil if the backward traversal visits more rows than a budget allows.
    package func rows(_ dependencies: Dependencies, within budget: Int) -> [ObjectKey]? {
        guard let traversal = traversal(dependencies) else { return [] }
        return traversal.rows(within: budget)
    }

    /// Returns the affected rows as a set, shared by all callers. Returns nil if there are fewer than a minimum, for which looking them
    /// up costs less, or if the backward traversal visits more rows than a budget allows.
    package func rowSet(_ dependencies: Dependencies, from minimum: Int, within budget: Int) -> KeySet? {
        traversal(dependencies)?.rowSet(from: minimum, within: budget)
    }

    /// Returns whether the changes affect a row. If only the row's own columns matter, the change set alone decides.
    package func affects(_ key: ObjectKey, _ dependencies: Dependencies) -> Bool {
        guard let root = dependencies.nodes.first else { return false }
        if dependencies.areOwn {
            return changes.table(root.table).map { root.isChanged(key, $0) } ?? false
        }
        let rows = rows(dependencies, among: 1) { _ = $0(key) }
        return rows.containsAscending(key)
    }

    /// Returns the traversal for the dependencies, or nil if the changes do not touch them.
    private func traversal(_ dependencies: Dependencies) -> ChangeTraversal? {
        if let last, last.dependencies === dependencies { return last }
        if let previous, previous.dependencies === dependencies { return previous }
        let dependencies = dependencies.extended(to: catalog)
        guard touches(dependencies.interests) else { return nil }
        let traversal =
            traversals[dependencies]
            ?? ChangeTraversal(dependencies, changes, snapshot, catalog, smallestBudget)
        traversals[dependencies] = traversal
        (last, previous) = (traversal, last)
        return traversal
    }

    #if DEBUG
    /// The number of rows that all traversals visited, by which tests measure growth. Counted in debug builds only.
    var work: Int { traversals.values.reduce(0) { $0 + $1.work } }
    #endif
}
