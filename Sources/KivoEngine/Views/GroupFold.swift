/// The number, sum or average of the values of the elements, by the value of a key: one result for each group of equal keys.
///
/// A change looks up the key of its element once before and once after it:
///
///     places            groups
///     ┌───────────┐     ┌────────────────────────────────────┐
///     │ "a" ▶ 0   │     │ 0: elements, aggregate             │     touched
///     │ "b" ▶ 1 ──┼───▶ │ 1: elements, aggregate, before ◀───┼──── [1]
///     └───────────┘     └────────────────────────────────────┘
///
/// A touched group without elements keeps its place until its change was taken.
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
        var key: Key
        var elements = 0
        var aggregate: RunningAggregate
        /// The result before the group was touched.
        var before: Cell?
        var isTouched = false

        /// The result; nil if there are no elements.
        var result: Cell? { elements == 0 ? nil : aggregate.result }

        var change: Change? {
            let after = result
            return before == after ? nil : Change(key: key.cell, before: before, after: after)
        }
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
    /// The places of the groups by key.
    private var places: [Key: Int] = [:]
    private var groups: [Group] = []
    /// The places that no group has.
    private var free: [Int] = []
    /// The places of the groups that were touched since the last call of ``takeChanges()``.
    private var touched: [Int] = []
    /// The number of groups with elements.
    package private(set) var count = 0
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

    /// Returns the result of the group with a key, or nil if there is none. O(1).
    package func result(of key: Cell) -> Cell? { result(Key(key, keyOrder)) }

    private func result(_ key: Key) -> Cell? { places[key].flatMap { groups[$0].result } }

    /// Calls `body` with each key and its result, in no particular order.
    package func forEach(_ body: (_ key: Cell, _ result: Cell) -> Void) {
        for place in places.values {
            if let result = groups[place].result { body(groups[place].key.cell, result) }
        }
    }

    /// Returns the groups whose results changed since the last call, in no particular order.
    package func takeChanges() -> [Change] {
        var changes: [Change] = []
        for place in touched {
            if let change = groups[place].change { changes.append(change) }
            groups[place].isTouched = false
            groups[place].before = nil
            if groups[place].elements == 0 {
                places[groups[place].key] = nil
                free.append(place)
            }
        }
        touched.removeAll(keepingCapacity: touched.count <= 64)
        return changes
    }

    /// All groups as changes from no groups, in no particular order. O(groups).
    package var changesFromNone: [Change] {
        var changes: [Change] = []
        forEach { changes.append(Change(key: $0, before: nil, after: $1)) }
        return changes
    }

    /// Returns the groups whose results differ in another fold of the same kind, in no particular order. O(groups).
    package func changes(to next: GroupFold) -> [Change] {
        Set(places.keys).union(next.places.keys).compactMap { key in
            let (before, after) = (result(key), next.result(key))
            return before == after ? nil : Change(key: key.cell, before: before, after: after)
        }
    }

    // MARK: Following changes

    package func removeAll() {
        for place in places.values {
            touch(place)
            empty(&groups[place])
        }
        count = 0
    }

    package func remove(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        for token in tokens {
            let place = touch(token, elements, snapshot)
            // In place, so that the sum is not copied.
            if groups[place].elements == 1 {
                empty(&groups[place])
                count -= 1
            } else {
                add(token, sign: -1, to: &groups[place], elements, snapshot)
            }
        }
    }

    package func insert(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        for token in tokens {
            let place = touch(token, elements, snapshot)
            if groups[place].elements == 0 { count += 1 }
            add(token, sign: 1, to: &groups[place], elements, snapshot)
        }
    }

    package func endChange(_ elements: Elements, _ snapshot: Snapshot) { isFollowing = true }

    /// Removes all elements of a group, and the rounding errors of their sum.
    private func empty(_ group: inout Group) { (group.elements, group.aggregate) = (0, empty) }

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

    /// Returns the place of an element's group, which is going to change.
    private func touch(_ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Int {
        let key = Key(elements.cell(key, token, snapshot), keyOrder)
        let place = places[key] ?? addGroup(key)
        touch(place)
        // Equal keys can have other bytes: the first element of a group has the key that is shown.
        if groups[place].elements == 0 { groups[place].key = key }
        return place
    }

    private func touch(_ place: Int) {
        guard isFollowing, !groups[place].isTouched else { return }
        groups[place].before = groups[place].result
        groups[place].isTouched = true
        touched.append(place)
    }

    private func addGroup(_ key: Key) -> Int {
        let group = Group(key: key, aggregate: empty)
        let place = free.popLast() ?? groups.count
        if place == groups.count { groups.append(group) } else { groups[place] = group }
        places[key] = place
        return place
    }
}
