/// The elements that a query selects, before they are ordered, followed through change sets: the elements of the source that
/// satisfy the predicate, and of these the first of each group of each `distinct` step.
///
///     source ──► predicate ──► [ distinct ──► … ]
///                              trees of groups
///
/// A change is followed in two steps: elements are removed within the old snapshot, and inserted within the new one. The owner
/// does the same with its own data of the elements. Belongs to its owner; snapshots are only used during calls.
struct ElementSelection {
    // The fields that each change reads come first, so that they share few cache lines.
    let dependencies: Dependencies
    /// Further dependencies of the owner's data of an element; nil if there are none.
    private let furtherDependencies: Dependencies?
    private var stages: [GroupStage] = []
    /// The predicate as a range of one number, or nil if it is of another form.
    private let range: NumberRange?
    let query: RowQuery
    /// The elements; for a table, its rows also before the query is evaluated.
    private(set) var elements: Elements
    /// Whether rows that a change touches count as removed and inserted if they satisfy the predicate before and after it.
    var exchangesRetained = true
    /// The query is evaluated again if a change touches more than one in so many elements.
    let wholesaleShare: Int
    /// The number that was last assigned to a plain value.
    private var lastNumber: Int64 = 0

    /// Whether each element represents a group of elements with equal keys.
    var isGrouped: Bool { !stages.isEmpty }

    init(
        _ query: RowQuery, _ dependencies: Dependencies, furtherDependencies: Dependencies?,
        wholesaleShare: Int
    ) {
        (self.query, self.dependencies, self.wholesaleShare) = (query, dependencies, wholesaleShare)
        self.furtherDependencies = furtherDependencies
        range = query.predicate.flatMap { NumberRange($0) }
        elements = if case .table(let table) = query.source { .rows(table) } else { .values([]) }
    }

    // MARK: Evaluating

    /// Evaluates the query, except for its order. The caller calls ``beginFollowing()`` before the next change. O(n), plus the cost
    /// of grouping.
    ///
    /// - Returns: the tokens of the elements, which are in the order of the source unless they are grouped, and the keys by which
    ///   the query sorts them.
    mutating func evaluate(_ snapshot: Snapshot, _ catalog: Catalog) -> (tokens: [Int64], sorting: [SortKey])
    {
        var (newElements, tokens) = query.candidates(snapshot, catalog)
        stages = []
        var sorting: [SortKey] = []
        for step in query.steps {
            switch step {
            case .sort(let keys): sorting = keys + sorting
            case .distinct(let keys):
                let stage = GroupStage(keys, after: sorting)
                tokens = stage.build(tokens, newElements, snapshot)
                stages.append(stage)
            }
        }
        elements = newElements
        return (tokens, sorting)
    }

    /// Makes the positions of a list or of plain values occurrences, which an edit of the collection leaves as they are. A new index
    /// numbers occurrences by position, so tokens stay as they are.
    mutating func beginFollowing() {
        switch (elements, query.source) {
        case (.positions(let keys, let table), _): elements = .occurrences(OccurrenceIndex(keys), table)
        case (.values(let cells), .values(let id, let element)):
            lastNumber = Int64(cells.count)
            let numbers = cells.indices.map { Int64($0) + 1 }
            elements = .valueOccurrences(OccurrenceIndex(numbers), id, element)
        default: break
        }
    }

    /// Returns a new number for an inserted plain value.
    mutating func makeNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Whether an object satisfies the predicate. A deleted object does not.
    @inline(__always)
    func holds(_ key: ObjectKey, _ table: Table, _ snapshot: Snapshot) -> Bool {
        guard let row = table.row(key) else { return false }
        if let range { return range.contains(row) }
        return query.predicate?.holds(snapshot, row) ?? true
    }

    // MARK: Following changes

    /// Returns the objects that the changes may affect, ascending.
    func touched(_ traversals: ChangeTraversals) -> [ObjectKey] {
        let rows = rows(dependencies, traversals)
        guard let furtherDependencies else { return rows }
        return Set(rows).union(self.rows(furtherDependencies, traversals)).sorted()
    }

    private func rows(_ dependencies: Dependencies, _ traversals: ChangeTraversals) -> [ObjectKey] {
        traversals.rows(dependencies, among: query.source.count(traversals.snapshot)) { body in
            query.source.forEachKey(traversals.snapshot, body)
        }
    }

    /// Removes elements from the groups, comparing within the old snapshot. Returns the elements that are no longer selected.
    func remove(_ removals: [Int64], _ old: Snapshot) -> [Int64] {
        var removals = removals
        for stage in stages { removals = stage.remove(removals, elements, old) }
        return removals
    }

    /// Inserts elements into the groups, comparing within the new snapshot, which completes a change. Returns the elements that
    /// are no longer selected because others are before them, and those that are selected now.
    func insert(_ insertions: [Int64], _ new: Snapshot) -> (removals: [Int64], insertions: [Int64]) {
        var (removals, insertions): ([Int64], [Int64]) = ([], insertions)
        for stage in stages {
            (removals, insertions) = stage.exchange(removals: removals, insertions: insertions, elements, new)
        }
        return (removals, insertions)
    }
}
