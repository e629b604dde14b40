import KivoEngine

/// What results are an answer to: a source and a query; and the answer, once it was needed.
///
/// Confined with its realm instance, which it keeps alive.
final class QueryState {
    /// The collection that the elements come from.
    enum Source {
        case table(TableContext)
        case collection(CollectionReference)
        case linking(LinkTarget)
    }

    struct Stamp: Equatable {
        var generation: UInt64
        var mutations: UInt64
    }

    let core: RealmCore
    private let anchor: CoreAnchor
    /// The clock's generation when the query was made: `invalidate()` cuts off what is older.
    private let born: UInt64
    let source: Source
    let query: RowQuery
    /// The class of the elements; nil for plain values.
    let elements: TableContext?
    /// Whether the answer is all rows of a table in their order, which needs no evaluation.
    let isWholeTable: Bool

    private var answer: [ObjectKey] = []
    private var answerStamp: Stamp?
    /// The answer of a frozen realm, which is asked from many threads.
    private let frozenAnswer = Lock<[ObjectKey]?>(nil)
    /// The answer inside of a write.
    private var follower = AnswerFollower()
    /// An observer, if there is one, whose view is read instead of evaluating.
    weak var observer: ResultsNotifier?
    /// The accessor that was handed out last, to be used again if nobody kept it.
    @exclusivity(unchecked) private var accessor: ObjectBase?
    /// The leaf that was last read by position.
    @exclusivity(unchecked) private var leaf: (stamp: Stamp, leaf: Table.LocatedLeaf)?

    private init(_ core: RealmCore, _ source: Source, _ query: RowQuery) {
        self.core = core
        anchor = core.anchor
        born = core.clock[Clock.generation]
        self.source = source
        self.query = query
        elements =
            switch source {
            case .table(let context): context
            case .collection(let reference): reference.context.elements
            case .linking(let target): target.originContext
            }
        isWholeTable = query.isWholeTable
    }

    /// All objects of a class.
    convenience init(_ context: TableContext) {
        self.init(context.core, .table(context), RowQuery(.table(context.table)))
    }

    /// The elements of a list or set.
    convenience init(_ reference: CollectionReference) {
        let source: RowQuery.Source =
            if let elements = reference.context.elements {
                reference.property.type.collection == .set
                    ? .set(reference.id, target: elements.table) : .list(reference.id, target: elements.table)
            } else {
                .values(reference.id, reference.element)
            }
        self.init(reference.core, .collection(reference), RowQuery(source))
    }

    /// The objects that link to one.
    convenience init(_ target: LinkTarget) {
        let origins = ValuePath.Origins(
            table: target.originContext.table, column: target.originColumn, backlinks: target.backlinks)
        self.init(target.core, .linking(target), RowQuery(.origins(origins, of: target.key)))
    }

    private func with(_ query: RowQuery) -> QueryState { QueryState(core, source, query) }

    private var stamp: Stamp {
        Stamp(generation: core.clock[Clock.generation], mutations: core.clock[Clock.mutations])
    }

    var isInvalidated: Bool {
        if core.isInvalidated(born) { return true }
        switch source {
        case .table: return false
        case .collection(let reference): return reference.isInvalidated
        case .linking(let target): return target.isInvalidated
        }
    }

    /// The same query in another instance of the realm.
    func moved(to anchor: CoreAnchor) -> QueryState { handedOver(anchor.core) }

    /// Makes the same query in another instance of the realm, without keeping this one.
    var handedOver: (RealmCore) -> QueryState {
        let query = query
        switch source {
        case .table(let context):
            let type = context.info.type
            return { QueryState($0, .table($0.context(type)), query) }
        case .collection(let reference):
            let handover = reference.handover
            return { QueryState($0, .collection(handover($0)), query) }
        case .linking(let target):
            let handover = LinkTarget.handover(target)
            return { QueryState($0, .linking(handover($0)), query) }
        }
    }

    // MARK: Queries on top

    /// The query with one more condition.
    func filtered(_ node: QueryNode) -> QueryState { with(query.filtered(predicate(node))) }

    private func predicate(_ node: QueryNode) -> RowPredicate {
        guard let elements else {
            trap("Only collections of objects can be filtered, not those of plain values.")
        }
        return QueryCompiler(context: elements).predicate(node)
    }

    /// The query in another order; ties keep the order they had.
    func sorted(_ descriptors: [SortDescriptor]) -> QueryState {
        if descriptors.isEmpty { return with(query) }
        return with(query.followed(by: .sort(descriptors.map { sortKey($0.keyPath, $0.ascending) })))
    }

    /// The query with the first of each group of elements that are equal in all of some key paths.
    func distinct(_ keyPaths: [String]) -> QueryState {
        if keyPaths.isEmpty { return with(query) }
        return with(query.followed(by: .distinct(keyPaths.map { sortKey($0, true) })))
    }

    private func sortKey(_ keyPath: String, _ ascending: Bool) -> SortKey {
        if let elements { return QueryCompiler(context: elements).sortKey(keyPath, ascending: ascending) }
        guard keyPath == "self", case .collection(let reference) = source else {
            trap("Plain values are sorted and made distinct by 'self', not by '\(keyPath)'.")
        }
        return SortKey(nil, reference.property.order, isAscending: ascending)
    }

    // MARK: The answer

    /// The observed view, if it is of what the realm shows now.
    private var view: MaintainedView? {
        guard let observer, core.transaction?.hasChanges != true, !isInvalidated else { return nil }
        return observer.currentView
    }

    var count: Int {
        core.checkConfinement { "results" }
        if isInvalidated { return 0 }
        if isWholeTable { return core.table(elements!.table).count }
        if let view { return view.count }
        if let followed { return followed.count }
        if core.isFrozen || answerStamp == stamp { return rows.count }
        return query.count(core.snapshot, core.catalog)
    }

    /// Whether there are no elements: found without counting them.
    var isEmpty: Bool {
        core.checkConfinement { "results" }
        if isInvalidated { return true }
        if isWholeTable || isKnown { return count == 0 }
        if let followed { return followed.count == 0 }
        return query.isEmpty(core.snapshot, core.catalog)
    }

    /// The key of the first element, found without evaluating what comes behind it if that can be.
    var firstKey: ObjectKey? {
        core.checkConfinement { "results" }
        if isInvalidated { return nil }
        if isWholeTable || isKnown { return count == 0 ? nil : key(at: 0) }
        if let followed { return followed.count == 0 ? nil : followed.key(at: 0) }
        if case .found(let key) = query.firstKey(core.snapshot, core.catalog) { return key }
        return rows.first
    }

    /// The key of the last element, found without evaluating what comes before it if that can be.
    var lastKey: ObjectKey? {
        core.checkConfinement { "results" }
        if isInvalidated { return nil }
        if isWholeTable || isKnown { return count == 0 ? nil : key(at: count - 1) }
        if let followed { return followed.count == 0 ? nil : followed.key(at: followed.count - 1) }
        if case .found(let key) = query.lastKey(core.snapshot, core.catalog) { return key }
        return rows.last
    }

    /// Whether the answer is there and needs no evaluation.
    private var isKnown: Bool {
        if core.isFrozen { return frozenAnswer.withLock { $0 != nil } }
        return answerStamp == stamp || view != nil
    }

    /// The answer inside of a write, if it is one that follows the changes.
    private var followed: FollowedAnswer? {
        query.canBeFollowed && !core.isFrozen ? follower.current(query, core, stamp) : nil
    }

    /// The keys of the objects of the answer; for plain values, their positions in the source.
    var rows: [ObjectKey] {
        core.checkConfinement { "results" }
        if core.isFrozen { return frozenRows }
        if answerStamp == stamp { return answer }
        answer = view?.keys ?? (isInvalidated ? nil : followed?.keys) ?? evaluate()
        answerStamp = stamp
        return answer
    }

    private var frozenRows: [ObjectKey] {
        if let known = frozenAnswer.withLock({ $0 }) { return known }
        let rows = evaluate()
        frozenAnswer.withLock { $0 = rows }
        return rows
    }

    private func evaluate() -> [ObjectKey] {
        isInvalidated ? [] : query.evaluate(core.snapshot, core.catalog)
    }

    /// The key at a position of the answer. Traps if there is none.
    func key(at position: Int) -> ObjectKey {
        if let view {
            checkPosition(position, view.count)
            return view.key(at: position)
        }
        if isWholeTable { return locate(position).key }
        if !isInvalidated, answerStamp != stamp, let followed {
            checkPosition(position, followed.count)
            return followed.key(at: position)
        }
        let rows = rows
        checkPosition(position, rows.count)
        return rows[position]
    }

    private func checkPosition(_ position: Int, _ count: Int) {
        if position < 0 || position >= count {
            trap("Index \(position) is outside of results of \(count) elements.")
        }
    }

    /// The first position of an object in the answer, or nil. O(log n) for a whole class and for observed results.
    func position(of key: ObjectKey) -> Int? {
        guard let elements, core.table(elements.table).contains(key) else { return nil }
        if isWholeTable { return core.table(elements.table).position(of: key) }
        guard let view else { return rows.firstIndex(of: key) }
        var first: Int?
        view.forEachPosition(of: key, core.snapshot) { first = min($0, first ?? $0) }
        return first
    }

    /// The first position of the answer whose object satisfies a condition, or nil. O(n).
    func firstPosition(_ node: QueryNode) -> Int? {
        core.checkConfinement { "results" }
        let predicate = predicate(node)
        if isInvalidated { return nil }
        let table = core.table(elements!.table)
        if isWholeTable {
            return predicate.firstRow(of: elements!.table, core.snapshot, core.catalog)
                .map { table.position(of: $0) }
        }
        return rows.firstIndex { key in
            table.row(key).map { predicate.holds(core.snapshot, $0) } ?? false
        }
    }

    // MARK: Whole tables

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
        checkPosition(position, count)
        let found = table.leafContaining(position)
        if !core.isFrozen { leaf = (self.stamp, found) }
        return place(position, found)
    }

    @inline(__always)
    private func place(_ position: Int, _ leaf: Table.LocatedLeaf) -> (key: ObjectKey, leaf: Leaf, slot: Int)
    {
        let (key, slot) = leaf.row(at: position)
        return (key, leaf.leaf, slot)
    }
}
