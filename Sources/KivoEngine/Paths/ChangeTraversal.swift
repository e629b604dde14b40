/// One traversal between changes and the rows that they affect, in either direction.
///
/// Which direction costs less is not known in advance. Both are tried with a small budget, then with a larger one, until one of
/// them finishes. Together they cost a few times as much as the cheaper one. Results are cached for later callers: the rows at
/// the ends of all backward paths, and the rows that the forward traversal visited.
final class ChangeTraversal {
    let dependencies: Dependencies
    private let nodes: [Dependencies.Node]
    private let changes: RowChangeSet
    private let snapshot: Snapshot
    private let catalog: Catalog
    /// The changes of each node's table.
    private let tables: [TableChange?]
    /// Whether anything changed at each node or further along its paths.
    private let leadsToChanges: [Bool]

    /// The result of the backward traversal if it finished, and the largest budget with which it did not.
    @exclusivity(unchecked) private var affectedRows: [ObjectKey]?
    private var failedBudget = 0
    /// The affected rows for callers that visit their elements, made on first use.
    private var rowSet: KeySet?
    /// For each node, whether the changes affect the rows that the forward traversal visited.
    private var decisions: [[ObjectKey: Bool]]

    private let smallestBudget: Int

    #if DEBUG
    /// The number of rows visited, for tests of growth. Counted in debug builds only.
    private(set) var work = 0
    #endif

    init(
        _ dependencies: Dependencies, _ changes: RowChangeSet, _ snapshot: Snapshot, _ catalog: Catalog,
        _ smallestBudget: Int
    ) {
        self.smallestBudget = smallestBudget
        self.dependencies = dependencies
        nodes = dependencies.nodes
        self.changes = changes
        self.snapshot = snapshot
        self.catalog = catalog
        tables = nodes.map { changes.table($0.table) }
        decisions = Array(repeating: [:], count: nodes.count)
        var leads = Array(repeating: false, count: nodes.count)
        for (index, node) in nodes.enumerated().reversed() {
            leads[index] =
                tables[index] != nil || node.referrers.contains { changes.backlinks($0) != nil }
                || node.edges.contains { leads[$0.child] }
            // Nodes of a loop may lead to the same changes.
            if let loop = node.loop, loop.lowerBound == index, leads[loop].contains(true) {
                for index in loop { leads[index] = true }
            }
        }
        leadsToChanges = leads
    }

    /// Returns affected rows, ascending, each once. The result includes at least the affected rows among the given elements.
    func rows(among count: Int, _ forEachElement: ((ObjectKey) -> Bool) -> Void) -> [ObjectKey] {
        if let affectedRows, affectedRows.count <= count { return affectedRows }
        if leadsToChanges.first != true { return [] }
        var budget = count > .max / 2 ? .max : max(count * 2, smallestBudget)
        while true {
            if affectedRows == nil, budget > failedBudget {
                affectedRows = traverseBackward(budget)
                if affectedRows == nil { failedBudget = budget }
            }
            if let affectedRows {
                let isShort = affectedRows.count <= count || nodes[0].countsDeleted
                return isShort ? affectedRows : ChangeTraversal.common(affectedRows, forEachElement)
            }
            if let rows = traverseForward(budget, forEachElement) { return rows }
            budget = budget > .max / 4 ? .max : budget * 4
        }
    }

    /// Returns the affected rows, ascending, each once, or nil if the backward traversal exceeds a budget.
    func rows(within budget: Int) -> [ObjectKey]? {
        if leadsToChanges.first != true { return [] }
        let budget = max(budget, smallestBudget)
        if affectedRows == nil, budget > failedBudget {
            affectedRows = traverseBackward(budget)
            if affectedRows == nil { failedBudget = budget }
        }
        return affectedRows
    }

    /// Returns the affected rows as a set, or nil if there are fewer than a minimum, or if the backward traversal exceeds a budget.
    func rowSet(from minimum: Int, within budget: Int) -> KeySet? {
        guard let rows = rows(within: budget), rows.count >= minimum else { return nil }
        if let rowSet { return rowSet }
        let made = KeySet(ascending: rows)
        rowSet = made
        return made
    }

    /// Returns the elements that are among `rows`.
    private static func common(
        _ rows: [ObjectKey], _ forEachElement: ((ObjectKey) -> Bool) -> Void
    ) -> [ObjectKey] {
        var common: Set<ObjectKey> = []
        forEachElement { key in
            if rows.containsAscending(key) { common.insert(key) }
            return true
        }
        return common.sorted()
    }

    private func countWork(_ count: Int) {
        #if DEBUG
        work += count
        #endif
    }
}

// MARK: Backward

extension ChangeTraversal {
    /// Rows of a node, limited by a budget.
    private struct Frontier {
        var keys: Set<ObjectKey> = []
        var remaining: Int

        /// Deducts a number of rows from the budget. Returns false if the budget does not suffice.
        mutating func spend(_ count: Int) -> Bool {
            remaining -= count
            return remaining >= 0
        }
    }

    /// Returns the rows from which paths lead to changes, or nil if visiting the rows on the way exceeds the budget.
    private func traverseBackward(_ budget: Int) -> [ObjectKey]? {
        var reached = Array(repeating: Set<ObjectKey>(), count: nodes.count)
        var remaining = budget
        for index in nodes.indices.reversed() where leadsToChanges[index] {
            var frontier = Frontier(remaining: remaining)
            for edge in nodes[index].edges where edge.child > index && !reached[edge.child].isEmpty {
                guard follow(edge, reached[edge.child], &frontier) else { return nil }
            }
            guard addReferred(nodes[index], &frontier) else { return nil }
            if index == 0, frontier.keys.isEmpty { return ownChanges(frontier.remaining) }
            guard addChanged(index, &frontier) else { return nil }
            remaining = frontier.remaining
            reached[index] = frontier.keys
            if let loop = nodes[index].loop, loop.lowerBound == index, !close(loop, &reached, &remaining) {
                return nil
            }
        }
        return reached[0].sorted()
    }

    /// Follows the edges inside a loop of nodes until they reach no new rows. Returns false if that exceeds the budget.
    private func close(
        _ loop: Range<Int>, _ reached: inout [Set<ObjectKey>], _ remaining: inout Int
    ) -> Bool {
        var fresh = Array(reached[loop])
        while fresh.contains(where: { !$0.isEmpty }) {
            var next = Array(repeating: Set<ObjectKey>(), count: loop.count)
            for index in loop {
                var frontier = Frontier(remaining: remaining)
                for edge in nodes[index].edges where loop.contains(edge.child) {
                    let keys = fresh[edge.child - loop.lowerBound]
                    guard keys.isEmpty || follow(edge, keys, &frontier) else { return false }
                }
                remaining = frontier.remaining
                next[index - loop.lowerBound] = frontier.keys.subtracting(reached[index])
                reached[index].formUnion(frontier.keys)
            }
            fresh = next
        }
        return true
    }

    /// Adds the rows of a node whose edge leads to affected rows of its child.
    private func follow(
        _ edge: Dependencies.Edge, _ affected: Set<ObjectKey>, _ frontier: inout Frontier
    ) -> Bool {
        for key in affected {
            if let backlinks = edge.backlinks {
                let origins = snapshot.backlinks(backlinks, of: key)
                countWork(1)
                guard frontier.spend(1 + origins.count) else { return false }
                origins.forEach { frontier.keys.insert($0) }
                countWork(origins.count)
            } else if let origins = edge.hop.origins, !addTargets(of: key, origins, &frontier) {
                return false
            }
        }
        return true
    }

    /// Adds the rows to which an origin refers.
    private func addTargets(of key: ObjectKey, _ origins: Origins, _ frontier: inout Frontier) -> Bool {
        guard let row = snapshot.table(origins.table).row(key) else { return true }
        let isLink = catalog.tables[origins.table].columns[origins.column].kind == .link
        let hop: ResolvedPath.Hop =
            isLink ? .link(column: origins.column, target: 0) : .elements(column: origins.column, target: 0)
        guard frontier.spend(isLink ? 1 : row.sequence(origins.column, .link).count) else { return false }
        return hop.forEachTarget(snapshot, row) { target in
            countWork(1)
            frontier.keys.insert(target)
            return true
        }
    }

    /// Adds the rows that are affected because other rows began or ceased to refer to them.
    private func addReferred(_ node: Dependencies.Node, _ frontier: inout Frontier) -> Bool {
        for table in node.referrers {
            guard let change = changes.backlinks(table) else { continue }
            guard frontier.spend(change.count) else { return false }
            countWork(change.count)
            change.forEachTouched { frontier.keys.insert($0) }
        }
        return true
    }

    /// Adds the rows of a node that changed themselves.
    private func addChanged(_ index: Int, _ frontier: inout Frontier) -> Bool {
        guard let change = tables[index] else { return true }
        for leaf in change.leaves {
            let bits = nodes[index].changed(leaf)
            guard frontier.spend(1 + bits.count) else { return false }
            countWork(bits.count)
            bits.forEach { frontier.keys.insert(leaf.block.key(at: $0)) }
        }
        return true
    }

    /// Returns the rows that changed themselves, for the case that no other path leads to changes. They are in order already.
    private func ownChanges(_ budget: Int) -> [ObjectKey]? {
        guard let change = tables[0] else { return [] }
        var keys: [ObjectKey] = []
        for leaf in change.leaves {
            let bits = nodes[0].changed(leaf)
            if keys.count + bits.count > budget { return nil }
            countWork(bits.count)
            bits.forEach { keys.append(leaf.block.key(at: $0)) }
        }
        return keys
    }
}

// MARK: Forward

extension ChangeTraversal {
    /// Returns the elements from which paths lead to changes, or nil if visiting the rows on the way exceeds the budget.
    private func traverseForward(
        _ budget: Int, _ forEachElement: ((ObjectKey) -> Bool) -> Void
    ) -> [ObjectKey]? {
        var affected: Set<ObjectKey> = []
        var remaining = budget
        var isComplete = true
        forEachElement { key in
            switch leadsToChange(key, 0, &remaining) {
            case nil: isComplete = false
            case true?: affected.insert(key)
            case false?: break
            }
            return isComplete
        }
        if !isComplete { return nil }
        if nodes[0].countsDeleted { tables[0]?.forEachDeleted { affected.insert($0) } }
        return affected.sorted()
    }

    /// Returns whether the changes affect a row of a node, or nil if the budget does not suffice to decide.
    private func leadsToChange(_ key: ObjectKey, _ index: Int, _ remaining: inout Int) -> Bool? {
        remaining -= 1
        if remaining < 0 { return nil }
        if let decision = decisions[index][key] { return decision }
        countWork(1)
        let node = nodes[index]
        var result: Bool? = isChanged(key, index)
        if result == false, node.edges.contains(where: { leadsToChanges[$0.child] }),
            let row = snapshot.table(node.table).row(key)
        {
            for edge in node.edges where leadsToChanges[edge.child] && result == false {
                _ = edge.hop.forEachTarget(snapshot, row) { target in
                    result = leadsToChange(target, edge.child, &remaining)
                    return result == false
                }
            }
        }
        if let result { decisions[index][key] = result }
        return result
    }

    private func isChanged(_ key: ObjectKey, _ index: Int) -> Bool {
        let node = nodes[index]
        if let change = tables[index], node.isChanged(key, change) { return true }
        return node.referrers.contains { table in
            changes.backlinks(table).map { $0.state(of: key) != .untouched } ?? false
        }
    }
}

extension Dependencies.Node {
    /// Returns the slots of the changed rows that are relevant to the node.
    fileprivate func changed(_ leaf: LeafChange) -> Bits256 {
        var bits = leaf.modified(in: columns)
        if countsInserted { bits = bits | leaf.inserted }
        if countsDeleted { bits = bits | leaf.deleted }
        return bits
    }

    /// Whether a row changed in a way that is relevant to the node.
    func isChanged(_ key: ObjectKey, _ change: TableChange) -> Bool {
        change.leaf(of: key).map { changed($0).contains(KeyBlock.offset(of: key)) } ?? false
    }
}

extension [ObjectKey] {
    /// Returns whether an ascending array contains a key. O(log n).
    func containsAscending(_ key: ObjectKey) -> Bool {
        let index = partitionPoint { $0 < key }
        return index < count && self[index] == key
    }
}
