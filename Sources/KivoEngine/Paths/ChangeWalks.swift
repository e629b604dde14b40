/// What a change set means along paths: which rows lead to something that it changed. Each walk is made once and shared
/// by all callers which ask the same of the same changes.
///
/// A walk goes backwards, from what changed along backlinks to the rows, so that its cost follows the change. Where that
/// leads to more rows than the one who asks has elements, it goes forwards from the elements instead: neither a hub to
/// which a million rows link nor a list of a million elements is gone through for the sake of a few others. See
/// ``ChangeWalk``.
///
/// Confined to one delivery. The snapshot must stay pinned for as long.
public final class ChangeWalks {
    /// What happened.
    public let changes: ChangeSet
    let snapshot: Snapshot
    let catalog: Catalog
    private var walks: [Dependencies: ChangeWalk] = [:]
    /// The walks that were asked for last: listeners in a row mostly ask for what their results depend on, and for what counts
    /// as a modification.
    @exclusivity(unchecked) private var last: ChangeWalk?
    @exclusivity(unchecked) private var previous: ChangeWalk?
    /// What a walk may cost before the other direction is tried. Tests set it to 1, so that small walks turn around.
    var smallestBudget = 64

    /// The walks from some changes to the rows of the version behind them.
    public init(_ changes: ChangeSet, _ snapshot: Snapshot, _ catalog: Catalog) {
        self.changes = changes
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// The changed tables in short, ascending. O(changed leaves) the first time.
    public private(set) lazy var touchedTables = changes.touchedTables

    /// Whether the changes touch something that others depend on. O(interests · log tables) and what comparing columns
    /// costs, whatever the number of changed rows.
    public func touches(_ interests: [TableInterest]) -> Bool {
        interests.contains { interest in
            let place = touchedTables.partitionPoint { $0.table < interest.table }
            return place < touchedTables.count && interest.isTouched(by: touchedTables[place])
        }
    }

    /// The rows for which the changes count, ascending, each once. Rows that were inserted may be among them, and with
    /// ``ChangePolicy/queryResults`` such as were deleted.
    public func rows(_ dependencies: Dependencies) -> [ObjectKey] {
        rows(dependencies, among: .max) { _ in }
    }

    /// The rows for which the changes count; at least those that are among some elements, and those that were deleted, as
    /// far as that counts. Ascending, each once.
    ///
    /// - Parameters:
    ///   - count: the number of elements.
    ///   - forEachElement: calls a body with each element until that returns false. Called only if there are fewer elements
    ///     than rows that the changes lead to.
    public func rows(
        _ dependencies: Dependencies, among count: Int, _ forEachElement: ((ObjectKey) -> Bool) -> Void
    ) -> [ObjectKey] {
        walk(dependencies)?.rows(among: count, forEachElement) ?? []
    }

    /// The rows for which the changes count, ascending, each once; nil if more rows than a budget allows lie on the way
    /// back to them.
    public func rows(_ dependencies: Dependencies, within budget: Int) -> [ObjectKey]? {
        guard let walk = walk(dependencies) else { return [] }
        return walk.rows(within: budget)
    }

    /// Whether the changes count for a row. Decided by the change set alone where the row's own columns are all that
    /// counts.
    public func affects(_ key: ObjectKey, _ dependencies: Dependencies) -> Bool {
        guard let root = dependencies.nodes.first else { return false }
        if dependencies.areOwn {
            return changes.table(root.table).map { root.isChanged(key, $0) } ?? false
        }
        let rows = rows(dependencies, among: 1) { _ = $0(key) }
        return rows.containsAscending(key)
    }

    /// The walk to the rows that depend on something; nil if the changes touch nothing of it.
    private func walk(_ dependencies: Dependencies) -> ChangeWalk? {
        if let last, last.dependencies === dependencies { return last }
        if let previous, previous.dependencies === dependencies { return previous }
        let dependencies = dependencies.grown(catalog)
        guard touches(dependencies.interests) else { return nil }
        let walk =
            walks[dependencies] ?? ChangeWalk(dependencies, changes, snapshot, catalog, smallestBudget)
        walks[dependencies] = walk
        (last, previous) = (walk, last)
        return walk
    }

    #if DEBUG
    /// How many rows all walks looked at: what tests measure growth by. Counted in debug builds only.
    var work: Int { walks.values.reduce(0) { $0 + $1.work } }
    #endif
}
