@testable import KivoEngine

/// A random query, and the same query in Swift: arrays that are filtered, sorted and grouped.
struct ViewQuery {
    enum Source {
        case table, list, set, values
        case children(ObjectKey)
        case holders(ObjectKey)
    }

    enum Step {
        case sort([(property: ViewModel.Property, isAscending: Bool)])
        case distinct([ViewModel.Property])
    }

    private typealias Condition = (ViewModel, ViewModel.Element) -> Bool

    let source: Source
    private(set) var query: RowQuery
    private var condition: Condition?
    private(set) var steps: [Step] = []

    /// Creates a random query of a store.
    init(_ store: ViewStore) {
        var sources: [Source] = [.table, .table]
        if store.model.shelf != 0 { sources += [.list, .list, .set, .values, .values] }
        for key in store.model.items.keys.sorted().shuffled(using: &store.random).prefix(2) {
            sources.append(.children(key))
        }
        // An item that lists contain, often several times: its holders are repeated.
        let held = store.model.items.keys.sorted().flatMap { store.model.items[$0]!.others }
        if let key = held.randomElement(using: &store.random) { sources += [.holders(key), .holders(key)] }
        source = sources[store.random.below(sources.count)]
        query = RowQuery(ViewQuery.source(source, store))
        if store.random.chance(75) {
            let (predicate, condition) = isOfValues ? valueTest(store) : ViewQuery.predicate(store)
            (query.predicate, self.condition) = (predicate, condition)
        }
        for _ in 0..<store.random.below(4) { addStep(store) }
    }

    var isOfValues: Bool { if case .values = source { true } else { false } }

    private static func source(_ source: Source, _ store: ViewStore) -> RowQuery.Source {
        switch source {
        case .table: .table(ViewModel.itemTable)
        case .list: .list(store.collection(ViewModel.Column.list), target: ViewModel.itemTable)
        case .set: .set(store.collection(ViewModel.Column.set), target: ViewModel.itemTable)
        case .values: .values(store.collection(ViewModel.Column.values), .optionalWord)
        case .children(let key): .origins(ViewModel.children, of: key)
        case .holders(let key): .origins(ViewModel.holders, of: key)
        }
    }

    // MARK: Steps

    private mutating func addStep(_ store: ViewStore) {
        let properties = (0...store.random.below(2)).map { _ -> ViewModel.Property in
            let all: [ViewModel.Property] = [.number, .weight, .name, .foldedName, .parent, .parentNumber]
            return isOfValues ? .number : all[store.random.below(all.count)]
        }
        if store.random.chance(55) {
            steps.append(.distinct(properties))
            query = query.followed(by: .distinct(properties.map { key($0, isAscending: true) }))
        } else {
            let directions = properties.map { _ in store.random.chance(50) }
            steps.append(.sort(zip(properties, directions).map { (property: $0, isAscending: $1) }))
            query = query.followed(by: .sort(zip(properties, directions).map { key($0, isAscending: $1) }))
        }
    }

    private func key(_ property: ViewModel.Property, isAscending: Bool) -> SortKey {
        if isOfValues { return SortKey(nil, .natural, isAscending: isAscending) }
        let order: CellOrder =
            switch property {
            case .weight: .floatingPoint
            case .foldedName: ViewQuery.foldedOrder
            case .number, .tens, .name, .parent, .parentNumber: .natural
            }
        return SortKey(ViewQuery.path(to: property), order, isAscending: isAscending)
    }

    /// Returns the path from an item to a property.
    static func path(to property: ViewModel.Property) -> ResolvedPath {
        switch property {
        case .number, .tens: path([ViewModel.Column.number])
        case .weight: path([ViewModel.Column.weight])
        case .name, .foldedName: path([ViewModel.Column.name])
        case .parent: path([ViewModel.Column.parent])
        case .parentNumber: path([ViewModel.Column.parent, ViewModel.Column.number])
        }
    }

    private static func path(_ columns: [Int]) -> ResolvedPath {
        var path = ResolvedPath(from: ViewModel.itemTable)
        for column in columns { path.append(column, in: ViewModel.catalog) }
        return path
    }

    /// An order that ignores case. Its ranks decide few comparisons.
    private static let foldedOrder: CellOrder = {
        @Sendable func folded(_ cell: Cell) -> String {
            if case .string(let text) = cell { text.lowercased() } else { "" }
        }
        return .custom(
            { a, b in folded(a) == folded(b) ? 0 : folded(a) < folded(b) ? -1 : 1 },
            rank: { cell in folded(cell).utf8.first.map { Int64($0 >> 1) } ?? 0 }, isNaN: { _ in false })
    }()

    // MARK: Conditions

    private static func comparison(_ store: ViewStore) -> ComparisonOperator {
        [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual][store.random.below(6)]
    }

    private static func holds<Value: Comparable>(
        _ comparison: ComparisonOperator, _ a: Value?, _ b: Value?
    ) -> Bool {
        guard let a, let b else {
            // Nil is equal to nil, and in no order with anything else.
            return switch comparison {
            case .equal, .lessOrEqual, .greaterOrEqual: a == nil && b == nil
            case .notEqual: (a ?? b) != nil
            default: false
            }
        }
        return switch comparison {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    private func valueTest(_ store: ViewStore) -> (RowPredicate, Condition) {
        let (comparison, number) = (ViewQuery.comparison(store), store.randomNumber())
        return (
            .test(.any, .element, .compare(comparison, number.cell, .natural)),
            { _, element in ViewQuery.holds(comparison, element.value, number) }
        )
    }

    private static func predicate(_ store: ViewStore, depth: Int = 2) -> (RowPredicate, Condition) {
        switch store.random.below(depth == 0 ? 7 : 10) {
        case 0, 1: return numberTest(store)
        case 2: return range(store)
        case 3:
            let (comparison, weight) = (comparison(store), store.randomWeight() ?? 1)
            return (
                .test(
                    .any, .path(path([ViewModel.Column.weight])),
                    .compare(comparison, .word(weight.bitPattern), .floatingPoint)),
                { _, element in holds(comparison, element.item.weight, weight) }
            )
        case 4: return textTest(store)
        case 5:
            let (comparison, number) = (comparison(store), store.randomNumber())
            return (
                .test(
                    .any, .path(path([ViewModel.Column.parent, ViewModel.Column.number])),
                    .compare(comparison, number.cell, .natural)),
                { model, element in holds(comparison, model.items[element.item.parent]?.number, number) }
            )
        case 6: return childTest(store)
        case 7:
            let (part, condition) = predicate(store, depth: depth - 1)
            return (.not(part), { !condition($0, $1) })
        case 8:
            let (a, b) = (predicate(store, depth: depth - 1), predicate(store, depth: depth - 1))
            return (.and([a.0, b.0]), { a.1($0, $1) && b.1($0, $1) })
        default:
            let (a, b) = (predicate(store, depth: depth - 1), predicate(store, depth: depth - 1))
            return (.or([a.0, b.0]), { a.1($0, $1) || b.1($0, $1) })
        }
    }

    private static func numberTest(_ store: ViewStore) -> (RowPredicate, Condition) {
        let (comparison, number) = (comparison(store), store.randomNumber())
        return (
            .test(
                .any, .path(path([ViewModel.Column.number])), .compare(comparison, number.cell, .natural)),
            { _, element in holds(comparison, element.item.number, number) }
        )
    }

    /// Bounds of a number, which views test without evaluating the predicate.
    private static func range(_ store: ViewStore) -> (RowPredicate, Condition) {
        let lower = Int64(store.random.below(40) - 20)
        let upper = lower + Int64(store.random.below(30))
        let number = RowOperand.path(path([ViewModel.Column.number]))
        return (
            .and([
                .test(.any, number, .compare(.greaterOrEqual, Int64?.some(lower).cell, .natural)),
                .test(.any, number, .compare(.lessOrEqual, Int64?.some(upper).cell, .natural)),
            ]),
            { _, element in element.item.number.map { $0 >= lower && $0 <= upper } ?? false }
        )
    }

    private static func textTest(_ store: ViewStore) -> (RowPredicate, Condition) {
        let text = store.randomName() ?? "a"
        let folding = TextTest.Folding(ascii: .lowercase) { $0.lowercased() }
        if store.random.chance(50) {
            return (
                .test(
                    .any, .path(path([ViewModel.Column.name])),
                    .text(TextTest(.order(.equal), text, folding: folding))),
                { _, element in element.item.name?.lowercased() == text.lowercased() }
            )
        }
        return (
            .test(
                .any, .path(path([ViewModel.Column.name])),
                .text(TextTest(.begins, text, folding: folding))),
            { _, element in
                // No text begins with an empty one.
                !text.isEmpty
                    && element.item.name?.lowercased().utf8.starts(with: text.lowercased().utf8) ?? false
            }
        )
    }

    /// A test of the numbers of all children of an item.
    private static func childTest(_ store: ViewStore) -> (RowPredicate, Condition) {
        let (comparison, number) = (comparison(store), store.randomNumber())
        var path = ResolvedPath(from: ViewModel.itemTable)
        path.append(ViewModel.children)
        path.append(ViewModel.Column.number, in: ViewModel.catalog)
        return (
            .test(.any, .path(path), .compare(comparison, number.cell, .natural)),
            { model, element in
                model.children(of: element.key).contains {
                    holds(comparison, model.items[$0]!.number, number)
                }
            }
        )
    }
}

extension ViewQuery {
    /// Returns the elements of the result in order.
    func result(_ model: ViewModel) -> [ViewModel.Element] {
        var elements: [ViewModel.Element]
        switch source {
        case .table: elements = model.items.keys.sorted().map(model.element)
        case .list: elements = model.list.map(model.element)
        case .set: elements = model.set.sorted().map(model.element)
        case .values:
            elements = model.values.enumerated().map { ViewModel.Element(key: Int64($0), value: $1) }
        case .children(let key): elements = model.children(of: key).map(model.element)
        case .holders(let key): elements = model.holders(of: key).map(model.element)
        }
        if let condition { elements = elements.filter { condition(model, $0) } }
        for step in steps { elements = ViewQuery.apply(step, to: elements, model) }
        return elements
    }

    private static func apply(
        _ step: Step, to elements: [ViewModel.Element], _ model: ViewModel
    ) -> [ViewModel.Element] {
        switch step {
        case .sort(let keys):
            // The sort of the standard library keeps the order of equal elements.
            return elements.sorted { a, b in
                for (property, isAscending) in keys {
                    let (x, y) = (model.sortValue(property, of: a), model.sortValue(property, of: b))
                    if x != y { return isAscending ? x < y : x > y }
                }
                return false
            }
        case .distinct(let properties):
            var groups: Set<[ViewModel.SortValue]> = []
            return elements.filter { element in
                let group = properties.map { model.sortValue($0, of: element) }
                return !group.contains(.unreached) && groups.insert(group).inserted
            }
        }
    }

    /// Returns what is displayed for an element: the item, or the plain value.
    func shown(_ element: ViewModel.Element) -> Cell { isOfValues ? element.value.cell : .link(element.key) }
}
