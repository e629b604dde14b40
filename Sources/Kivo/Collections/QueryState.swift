import KivoEngine

/// What results are an answer to: a source, a condition, an order; and the answer, once it was needed.
///
/// Confined with its realm instance, which it keeps alive.
final class QueryState {
    enum Source {
        case table(TableContext)
        case list(CollectionReference)
        case linking(LinkTarget)
    }

    let core: RealmCore
    private let anchor: CoreAnchor
    /// The clock's generation when the query was made: `invalidate()` cuts off what is older.
    private let born: UInt64
    let source: Source
    let predicate: Predicate?
    let sorting: [(path: ColumnPath, ascending: Bool)]
    /// Whether plain values are sorted by themselves, and in which direction.
    let valueOrder: Bool?
    /// Tables other than the source's whose changes can change the answer.
    let reachedTables: Set<TableID>

    private var answer: [ObjectKey] = []
    private var answerStamp: Stamp?
    /// The accessor that was handed out last, to be used again if nobody kept it.
    @exclusivity(unchecked) private var accessor: ObjectBase?
    /// The leaf that was last read by position.
    @exclusivity(unchecked) private var leaf: (stamp: Stamp, leaf: Table.LocatedLeaf)?

    struct Stamp: Equatable {
        var generation: UInt64
        var mutations: UInt64
    }

    init(
        _ core: RealmCore, _ source: Source, predicate: Predicate? = nil,
        sorting: [(path: ColumnPath, ascending: Bool)] = [], valueOrder: Bool? = nil,
        reachedTables: Set<TableID> = []
    ) {
        self.core = core
        anchor = core.anchor
        born = core.clock[Clock.generation]
        self.source = source
        self.predicate = predicate
        self.sorting = sorting
        self.valueOrder = valueOrder
        self.reachedTables = reachedTables
    }

    convenience init(_ reference: CollectionReference) { self.init(reference.core, .list(reference)) }
    convenience init(_ target: LinkTarget) { self.init(target.core, .linking(target)) }

    var stamp: Stamp {
        Stamp(generation: core.clock[Clock.generation], mutations: core.clock[Clock.mutations])
    }

    /// The class of the elements; nil for plain values.
    var elements: TableContext? {
        switch source {
        case .table(let context): context
        case .list(let reference): reference.context.elements
        case .linking(let target): target.originContext
        }
    }

    /// Whether the answer is all rows of a table in their order, which needs no evaluation.
    var isWholeTable: Bool {
        if case .table = source { return predicate == nil && sorting.isEmpty }
        return false
    }

    var isInvalidated: Bool {
        if core.isInvalidated(born) { return true }
        switch source {
        case .table: return false
        case .list(let reference): return reference.isInvalidated
        case .linking(let target): return target.isInvalidated
        }
    }

    /// The same query in another instance of the realm.
    func moved(to anchor: CoreAnchor) -> QueryState { handedOver(anchor.core) }

    /// Makes the same query in another instance of the realm, without keeping this one.
    var handedOver: (RealmCore) -> QueryState {
        let source: (RealmCore) -> Source
        switch self.source {
        case .table(let context):
            let type = context.info.type
            source = { .table($0.context(type)) }
        case .list(let reference):
            let handover = reference.handover
            source = { .list(handover($0)) }
        case .linking(let target):
            let handover = LinkTarget.handover(target)
            source = { .linking(handover($0)) }
        }
        let (predicate, sorting, valueOrder, reachedTables) = (predicate, sorting, valueOrder, reachedTables)
        return {
            QueryState(
                $0, source($0), predicate: predicate, sorting: sorting, valueOrder: valueOrder,
                reachedTables: reachedTables)
        }
    }

    /// The query with one more condition.
    func filtered(_ node: QueryNode) -> QueryState {
        guard let elements else { trap("Collections of plain values cannot be filtered by properties.") }
        let condition = QueryCompiler(context: elements).predicate(node)
        return QueryState(
            core, source, predicate: predicate.map { .and($0, condition) } ?? condition, sorting: sorting,
            valueOrder: valueOrder, reachedTables: reachedTables.union(condition.tables))
    }

    /// The query in another order; ties keep the order they had.
    func sorted(_ descriptors: [SortDescriptor]) -> QueryState {
        guard let elements else {
            guard descriptors.allSatisfy({ $0.keyPath == "self" }) else {
                trap("Plain values are sorted by 'self'.")
            }
            return QueryState(core, source, valueOrder: descriptors.first?.ascending ?? valueOrder)
        }
        let compiler = QueryCompiler(context: elements)
        let keys = descriptors.map {
            (compiler.column($0.keyPath.split(separator: ".").map(String.init)).path, $0.ascending)
        }
        let tables = keys.flatMap { $0.0.hops.map(\.target) }
        return QueryState(
            core, source, predicate: predicate, sorting: keys + sorting, valueOrder: valueOrder,
            reachedTables: reachedTables.union(tables))
    }

    // MARK: The answer

    var count: Int {
        core.checkConfinement { "results" }
        if isWholeTable { return core.table(elements!.table).count }
        if case .table(let context) = source, sorting.isEmpty, answerStamp != stamp, let predicate {
            return countMatches(predicate, context)
        }
        return rows.count
    }

    /// Counts without keeping the answer, which nobody may need.
    private func countMatches(_ predicate: Predicate, _ context: TableContext) -> Int {
        let snapshot = core.snapshot
        if let keys = indexed(predicate, context) { return keys.count }
        var count = 0
        snapshot.table(context.table).forEachLeaf { _, leaf in
            count += predicate.matches(snapshot, leaf, leaf.occupied).count
            return true
        }
        return count
    }

    /// The rows that satisfy a predicate, found through an index, if there is one that helps.
    private func indexed(_ predicate: Predicate, _ context: TableContext) -> [ObjectKey]? {
        let spec = core.catalog.tables[context.table]
        guard let (column, value) = predicate.equality, spec.indexOrdinal(of: column) != nil else {
            return nil
        }
        let snapshot = core.snapshot
        let table = snapshot.table(context.table)
        return table.keys(where: column, equals: value, spec).filter { key in
            guard let (leaf, slot) = table.locate(key) else { return false }
            return predicate.holds(snapshot, leaf, slot)
        }
    }

    /// The keys of the objects of the answer; for plain values, their positions in the source.
    var rows: [ObjectKey] {
        core.checkConfinement { "results" }
        let stamp = stamp
        if core.isFrozen { return evaluate() }
        if answerStamp == stamp { return answer }
        answer = evaluate()
        answerStamp = self.stamp
        return answer
    }

    private func evaluate() -> [ObjectKey] {
        let snapshot = core.snapshot
        var keys: [ObjectKey] = []
        switch source {
        case .table(let context):
            let table = snapshot.table(context.table)
            if let predicate, let found = indexed(predicate, context) {
                keys = found
            } else {
                table.forEachLeaf { index, leaf in
                    let found = predicate?.matches(snapshot, leaf, leaf.occupied) ?? leaf.occupied
                    found.forEach { keys.append(ObjectKey(index << 8 | $0)) }
                    return true
                }
            }
        case .list(let reference):
            if reference.isInvalidated { return [] }
            guard let elements else { return sortedPositions(reference.sequence) }
            reference.sequence.forEachLink { keys.append($0) }
            keys = filter(keys, elements, snapshot)
        case .linking(let target):
            keys = filter(target.keys, target.originContext, snapshot)
        }
        return sort(keys, snapshot)
    }

    private func filter(_ keys: [ObjectKey], _ context: TableContext, _ snapshot: Snapshot) -> [ObjectKey] {
        guard let predicate else { return keys }
        let table = snapshot.table(context.table)
        return keys.filter { key in
            guard let (leaf, slot) = table.locate(key) else { return false }
            return predicate.holds(snapshot, leaf, slot)
        }
    }

    private func sortedPositions(_ sequence: PersistentSequence) -> [ObjectKey] {
        let positions = (0..<sequence.count).map { ObjectKey($0) }
        guard let valueOrder, case .list(let reference) = source else { return positions }
        var cells: [Cell] = []
        sequence.forEach { cells.append($0) }
        let order = reference.property.order
        return positions.sorted { a, b in
            let result = order.compare(cells[Int(a)], cells[Int(b)])
            return result == 0 ? a < b : (result < 0) == valueOrder
        }
    }

    private func sort(_ keys: [ObjectKey], _ snapshot: Snapshot) -> [ObjectKey] {
        guard !sorting.isEmpty, let elements else { return keys }
        let table = snapshot.table(elements.table)
        if let only = sorting.first, sorting.count == 1, only.path.hops.isEmpty, only.path.kind == .word {
            return sortByWord(keys, table, only.path, only.ascending)
        }
        let cells = keys.map { key -> [Cell] in
            let (leaf, slot) = table.locate(key)!
            return sorting.map { $0.path.cell(snapshot, leaf, slot) ?? .null }
        }
        let order = keys.indices.sorted { a, b in
            for (index, key) in sorting.enumerated() {
                let result = key.path.order.compare(cells[a][index], cells[b][index])
                if result != 0 { return (result < 0) == key.ascending }
            }
            return a < b
        }
        return order.map { keys[$0] }
    }

    /// Sorts by one column of words: the common case, on pairs of plain numbers.
    private func sortByWord(_ keys: [ObjectKey], _ table: Table, _ path: ColumnPath, _ ascending: Bool)
        -> [ObjectKey]
    {
        let isFloatingPoint = if case .floatingPoint = path.order { true } else { false }
        var entries: [(rank: Int64, isNull: Bool, position: Int)] = []
        entries.reserveCapacity(keys.count)
        for (position, key) in keys.enumerated() {
            let (leaf, slot) = table.locate(key)!
            let buffer = leaf.column(path.column)
            var rank = Int64(bitPattern: buffer.word(slot))
            // The bits of doubles compare like integers once the negative ones are turned around.
            if isFloatingPoint, rank < 0 { rank ^= Int64.max }
            entries.append((rank, buffer.isNull(slot), position))
        }
        entries.sort { a, b in
            if a.isNull != b.isNull { return a.isNull == ascending }
            if a.rank != b.rank, !a.isNull { return (a.rank < b.rank) == ascending }
            return a.position < b.position
        }
        return entries.map { keys[$0.position] }
    }

    /// The object at a position of a whole table.
    func object(_ context: TableContext, at position: Int) -> ObjectBase {
        let (key, leaf, slot) = locate(position)
        if core.isFrozen { return context.accessor(key, leaf, slot) }
        return context.accessor(reusing: &accessor, key, leaf, slot)
    }

    /// The leaf and slot of a position of a whole table.
    private func locate(_ position: Int) -> (key: ObjectKey, leaf: Leaf, slot: Int) {
        let stamp = stamp
        if !core.isFrozen, let (known, leaf) = leaf, known == stamp, position >= leaf.start,
            position < leaf.start + leaf.count
        {
            return place(position, leaf)
        }
        let table = core.table(elements!.table)
        guard position >= 0, position < table.count else {
            trap("Index \(position) is outside of results of \(table.count) elements.")
        }
        let found = table.leafContaining(position)
        if !core.isFrozen { leaf = (self.stamp, found) }
        return place(position, found)
    }

    @inline(__always)
    private func place(_ position: Int, _ leaf: Table.LocatedLeaf) -> (key: ObjectKey, leaf: Leaf, slot: Int)
    {
        let slot = leaf.slot(at: position)
        return (ObjectKey(leaf.index << 8 | slot), leaf.leaf, slot)
    }
}

extension Predicate {
    /// The tables that the predicate reaches through links.
    var tables: Set<TableID> {
        switch self {
        case .constant: []
        case .comparison(let path, _, _), .test(let path, _): Set(path.hops.map(\.target))
        case .columns(let a, _, let b): Set(a.hops.map(\.target)).union(b.hops.map(\.target))
        case .and(let a, let b), .or(let a, let b): a.tables.union(b.tables)
        case .not(let a): a.tables
        }
    }
}
