/// The conditions that a parser has read and not yet joined, in the order of the text.
///
/// Parentheses are groups on this stack instead of calls. Conditions that the same connective joins form one chain, however they are
/// nested, so that only the alternation of AND, OR and NOT adds to the height of the result.
struct ConditionStack {
    /// A condition, and the number of levels below it.
    struct Item {
        var node: QueryNode
        var height: Int
    }

    private enum Connective { case and, or }

    /// The conditions of one pair of parentheses.
    private struct Group {
        let start: Int
        /// The beginning of the conditions that AND joins, behind the last OR.
        var conjunction: Int
        let isNegated: Bool
    }

    private var items: [Item] = []
    private var groups = [Group(start: 0, conjunction: 0, isNegated: false)]
    /// The beginning of the last condition, and the connective of its items if there are several.
    private var last: (start: Int, connective: Connective?) = (0, nil)

    /// Whether a group is open.
    var isNested: Bool { groups.count > 1 }

    /// The height of the condition that was appended or joined last.
    private(set) var height = 0

    /// Opens a group of conditions, after a parenthesis.
    mutating func open(isNegated: Bool) {
        groups.append(Group(start: items.count, conjunction: items.count, isNegated: isNegated))
    }

    /// Appends a condition that is complete.
    mutating func append(_ item: Item, isNegated: Bool) {
        last = (items.count, nil)
        items.append(item)
        height = item.height
        if isNegated { negateLast() }
    }

    /// Continues after AND.
    mutating func and() {
        if last.connective == .or { joinLast() }
    }

    /// Continues after OR.
    mutating func or() {
        endConjunction()
        if last.connective == .and { joinLast() }
        groups[groups.count - 1].conjunction = items.count
    }

    /// Closes the innermost group. Its conditions become the last condition.
    mutating func close() {
        endAlternatives()
        if groups.removeLast().isNegated { negateLast() }
    }

    /// Returns the whole condition, after all groups were closed.
    mutating func result() -> Item {
        endAlternatives()
        if last.connective != nil { joinLast() }
        return items[0]
    }

    private mutating func endConjunction() {
        let start = groups[groups.count - 1].conjunction
        guard start < last.start else { return }
        if last.connective == .or { joinLast() }
        last = (start, .and)
    }

    private mutating func endAlternatives() {
        endConjunction()
        let start = groups[groups.count - 1].start
        guard start < last.start else { return }
        if last.connective == .and { joinLast() }
        last = (start, .or)
    }

    private mutating func negateLast() {
        if last.connective != nil { joinLast() }
        let item = items.removeLast()
        if case .not(let node) = item.node {
            append(Item(node: node, height: item.height - 1), isNegated: false)
        } else {
            append(Item(node: .not(item.node), height: item.height + 1), isNegated: false)
        }
    }

    private mutating func joinLast() {
        let join = last.connective == .and ? QueryNode.and : QueryNode.or
        let joined = Self.combine(items[last.start...], join)
        items.removeSubrange(last.start...)
        append(joined, isNegated: false)
    }

    /// Joins conditions into a balanced tree, so that a chain of thousands of conditions is not high.
    private static func combine(
        _ items: ArraySlice<Item>, _ join: (QueryNode, QueryNode) -> QueryNode
    ) -> Item {
        if items.count == 1 { return items.first! }
        let middle = items.startIndex + items.count / 2
        let (left, right) = (combine(items[..<middle], join), combine(items[middle...], join))
        return Item(node: join(left.node, right.node), height: max(left.height, right.height) + 1)
    }
}
