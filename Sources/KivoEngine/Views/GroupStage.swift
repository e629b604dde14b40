/// One `distinct` step of a view. It orders its elements by group and passes on the first element of each group. Elements with a
/// null link on the way to a key are in no group.
///
/// A change takes two steps. Elements are removed while the old snapshot is current, and inserted with the new one. Nothing reads
/// the stage in between, so every comparison is within a single version.
final class GroupStage {
    private let keys: [SortKey]
    private let order: ElementOrder
    /// Whether a null link can be on the way to a key.
    private let hasLinks: Bool
    private var tree = OrderTree()
    /// The groups that the current change touches.
    private var touched: Set<CellGroup> = []

    /// Creates a stage that groups elements by keys. Elements of a group keep the order of the previous sort keys.
    init(_ keys: [SortKey], after previous: [SortKey]) {
        self.keys = keys
        order = ElementOrder(keys + previous)
        hasLinks = keys.contains { $0.hasLinks }
    }

    /// Adds the first elements. Returns the first of each group.
    func build(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) -> [Int64] {
        let entries = order.sorted(members(tokens, elements, snapshot), elements, snapshot)
        tree.fill(entries)
        var firsts: [Int64] = []
        var group: [Cell] = []
        for entry in entries {
            if !firsts.isEmpty, isMember(entry, of: group, elements, snapshot) { continue }
            firsts.append(entry.token)
            group = cells(entry.token, elements, snapshot)
        }
        return firsts
    }

    /// Removes elements within the old snapshot. Returns the group representatives that the next stage must remove.
    func remove(_ removals: [Int64], _ elements: Elements, _ old: Snapshot) -> [Int64] {
        touched = []
        let removals = members(removals, elements, old)
        let displaced = removals.compactMap { touch($0, elements, old) }
        order.remove(removals, from: &tree, elements, old)
        return displaced
    }

    /// Exchanges elements as the previous stage did. Returns the elements that the next stage must remove, and those that it must
    /// insert.
    func exchange(
        removals: [Int64], insertions: [Int64], _ elements: Elements, _ new: Snapshot
    ) -> (removals: [Int64], insertions: [Int64]) {
        let removals = members(removals, elements, new)
        let insertions = members(insertions, elements, new)
        let displaced = (removals + insertions).compactMap { touch($0, elements, new) }
        order.remove(removals, from: &tree, elements, new)
        for token in insertions {
            order.insert(order.ranked(token, elements, new), into: &tree, elements, new)
        }
        tree.endEdits()
        let firsts = touched.compactMap { first(of: $0.cells, elements, new) }
        touched = []
        return (displaced, firsts)
    }

    /// Returns the elements that are in groups.
    private func members(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) -> [Int64] {
        if !hasLinks { return tokens }
        return tokens.filter { cells($0, elements, snapshot).allSatisfy(SortKey.isReached) }
    }

    /// Records an element's group as touched. Returns the group's first element when the group is recorded for the first time.
    private func touch(_ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Int64? {
        let cells = cells(token, elements, snapshot)
        guard touched.insert(CellGroup(cells, keys)).inserted else { return nil }
        return first(of: cells, elements, snapshot)
    }

    private func cells(_ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> [Cell] {
        keys.map { $0.cell(elements, token, snapshot) }
    }

    private func first(of group: [Cell], _ elements: Elements, _ snapshot: Snapshot) -> Int64? {
        let rank = keys[0].rank(group[0])
        let position = tree.partitionPoint { entry in
            if entry.rank != rank { return entry.rank < rank }
            return order.compare(group, entry.token, elements, snapshot) > 0
        }
        guard position < tree.count else { return nil }
        let entry = tree[position]
        return isMember(entry, of: group, elements, snapshot) ? entry.token : nil
    }

    private func isMember(
        _ entry: OrderTree.Entry, of group: [Cell], _ elements: Elements, _ snapshot: Snapshot
    ) -> Bool {
        entry.rank == keys[0].rank(group[0]) && order.compare(group, entry.token, elements, snapshot) == 0
    }
}
