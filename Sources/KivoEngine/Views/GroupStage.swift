/// One `distinct` of a view: its elements, by group and within a group in their order, of which the first of each group
/// goes on. Behind a null link, a key is null.
///
/// A change comes in two steps. What leaves is taken out while everything is as it was; what comes is put in when
/// everything is as it will be. In between nobody looks, so that every comparison is one within a single version.
final class GroupStage {
    private let keys: [SortKey]
    private let order: ElementOrder
    private var tree = OrderTree()
    /// The groups that the change touches.
    private var touched: Set<CellGroup> = []

    /// A stage of elements that are equal if their keys are, and come in an order before.
    init(_ keys: [SortKey], after previous: [SortKey]) {
        self.keys = keys.map { $0.grouping }
        order = ElementOrder(self.keys + previous)
    }

    /// Takes the first elements in; returns those that go on.
    func build(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) -> [Int64] {
        let entries = order.sorted(tokens, elements, snapshot)
        tree.append(entries)
        var firsts: [Int64] = []
        var group: [Cell] = []
        for entry in entries {
            if !firsts.isEmpty, isMember(entry, of: group, elements, snapshot) { continue }
            firsts.append(entry.token)
            group = cells(entry.token, elements, snapshot)
        }
        return firsts
    }

    /// Takes out what leaves; returns the elements that went on and are to be taken out after it.
    func remove(_ leaving: [Int64], _ elements: Elements, _ old: Snapshot) -> [Int64] {
        touched = []
        let displaced = leaving.compactMap { touch($0, elements, old) }
        order.remove(leaving, from: &tree, elements, old)
        return displaced
    }

    /// Takes out what a stage before held back meanwhile, and puts in what comes; returns what is to be taken out
    /// behind this stage, and what goes on.
    func exchange(
        leaving: [Int64], coming: [Int64], _ elements: Elements, _ new: Snapshot
    ) -> (leaving: [Int64], coming: [Int64]) {
        let displaced = (leaving + coming).compactMap { touch($0, elements, new) }
        order.remove(leaving, from: &tree, elements, new)
        for token in coming { order.insert(order.ranked(token, elements, new), into: &tree, elements, new) }
        tree.endEdits()
        let firsts = touched.compactMap { first(of: $0.cells, elements, new) }
        touched = []
        return (displaced, firsts)
    }

    /// Notes the group of an element; returns its first element when it is noted for the first time.
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
