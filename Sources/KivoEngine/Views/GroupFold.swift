/// The number, sum or average of the values of the elements, by the value of a key: one result for each group of equal keys.
package final class GroupFold: ElementFold {
    /// A key, by which groups are found. Strings are equal as Swift compares them, because the calling layer makes keys of
    /// dictionaries of them: also if their bytes differ.
    private struct Key: Hashable {
        let cell: Cell
        let order: CellOrder

        init(_ cell: Cell, _ order: CellOrder) { (self.cell, self.order) = (cell, order) }

        func hash(into hasher: inout Hasher) {
            if case .string(let text) = cell {
                hasher.combine(text)
            } else {
                hasher.combine(order.groupHash(of: cell))
            }
        }

        static func == (a: Key, b: Key) -> Bool {
            if case .string(let x) = a.cell, case .string(let y) = b.cell { return x == y }
            return a.order.compare(a.cell, b.cell) == 0
        }
    }

    private struct Group {
        var elements = 0
        var aggregate: RunningAggregate
    }

    /// The difference of a group between two moments.
    package struct Change {
        /// The key of the group.
        package let key: Cell
        /// The result before the change; nil if there were no elements.
        package let before: Cell?
        /// The result after the change; nil if there are no elements.
        package let after: Cell?
    }

    private let key: ResolvedPath
    private let keyOrder: CellOrder
    /// The path to the value of an element; nil if the elements themselves are counted.
    private let value: ResolvedPath?
    private let empty: RunningAggregate
    private var groups: [Key: Group] = [:]
    /// The results of the groups that were touched since the last call of ``takeChanges()``, before they were touched.
    private var touched: [Key: Cell?] = [:]
    /// Whether the first elements were inserted.
    private var isFollowing = false

    /// Evaluating a group again costs about as much as following a change for each of its elements.
    package var wholesaleShare: Int { 2 }

    /// Creates groups of elements with equal keys.
    ///
    /// - Parameters:
    ///   - key: the path to the key of an element. Elements from which it does not lead to a value are in the group of null.
    ///   - value: the path to the value of an element; nil to count elements.
    /// - Precondition: The function is neither the minimum nor the maximum.
    package init(
        by key: ResolvedPath, _ keyOrder: CellOrder, _ function: Aggregate.Function, of value: ResolvedPath?,
        _ order: CellOrder, _ arithmetic: Aggregate.Arithmetic
    ) {
        (self.key, self.keyOrder, self.value) = (key, keyOrder, value)
        empty = RunningAggregate(function, order, arithmetic)
    }

    // MARK: Reading

    /// The number of groups.
    package var count: Int { groups.count }

    /// Returns the result of the group with a key, or nil if there is none. O(1).
    package func result(of key: Cell) -> Cell? { groups[Key(key, keyOrder)]?.aggregate.result }

    /// Calls `body` with each key and its result, in no particular order.
    package func forEach(_ body: (_ key: Cell, _ result: Cell) -> Void) {
        for (key, group) in groups { body(key.cell, group.aggregate.result) }
    }

    /// Returns the groups whose results changed since the last call, in no particular order.
    package func takeChanges() -> [Change] {
        defer { touched = [:] }
        return touched.compactMap { change($0, $1) }
    }

    /// All groups as changes from no groups, in no particular order. O(groups).
    package var changesFromNone: [Change] {
        groups.map { Change(key: $0.cell, before: nil, after: $1.aggregate.result) }
    }

    /// Returns the groups whose results differ in another fold of the same kind, in no particular order. O(groups).
    package func changes(to next: GroupFold) -> [Change] {
        let gone = groups.compactMap { key, group in
            next.groups[key] == nil ? Change(key: key.cell, before: group.aggregate.result, after: nil) : nil
        }
        return gone + next.groups.keys.compactMap { next.change($0, groups[$0]?.aggregate.result) }
    }

    private func change(_ key: Key, _ before: Cell?) -> Change? {
        let after = groups[key]?.aggregate.result
        return before == after ? nil : Change(key: key.cell, before: before, after: after)
    }

    // MARK: Following changes

    package func removeAll() {
        for key in groups.keys { touch(key) }
        groups = [:]
    }

    package func remove(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        for token in tokens {
            let key = touch(token, elements, snapshot)
            // In place, so that the sum is not copied.
            if groups[key]!.elements == 1 {
                groups[key] = nil
            } else {
                add(token, sign: -1, to: &groups[key]!, elements, snapshot)
            }
        }
    }

    package func insert(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        for token in tokens {
            let key = touch(token, elements, snapshot)
            add(token, sign: 1, to: &groups[key, default: Group(aggregate: empty)], elements, snapshot)
        }
    }

    package func endChange(_ elements: Elements, _ snapshot: Snapshot) { isFollowing = true }

    private func add(
        _ token: Int64, sign: Int, to group: inout Group, _ elements: Elements, _ snapshot: Snapshot
    ) {
        group.elements += sign
        if let value {
            group.aggregate.add(elements.cell(value, token, snapshot), sign: sign)
        } else {
            group.aggregate.add(elements: sign)
        }
    }

    /// Returns the key of an element. Its group is going to change.
    private func touch(_ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Key {
        let key = Key(elements.cell(key, token, snapshot), keyOrder)
        touch(key)
        return key
    }

    private func touch(_ key: Key) {
        guard isFollowing, touched.index(forKey: key) == nil else { return }
        touched[key] = .some(groups[key]?.aggregate.result)
    }
}
