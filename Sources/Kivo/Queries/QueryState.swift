import KivoEngine

/// What results are made of: a source and a query; and what was found, once it was needed.
///
/// Confined with its realm instance, which it keeps alive.
@usableFromInline
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

    let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    /// The reader's generation when the query was made: `invalidate()` cuts off what is older.
    private let born: UInt64
    let source: Source
    let query: RowQuery
    /// The class of the elements; nil for plain values.
    let elements: TableContext?
    /// Whether the result is all rows of a table in their order, which needs no evaluation.
    let isWholeTable: Bool

    /// Whether it is noted that somebody reads the result, and what notes it.
    let isTracked: Bool
    weak var trackedResult: AnyObject?
    private var answer: [ObjectKey] = []
    private var answerStamp: Stamp?
    /// How many elements there are, where they were only counted.
    private var counted: (stamp: Stamp, count: Int)?
    /// The result of a frozen realm, which is asked from many threads.
    private let frozenAnswer = Lock<[ObjectKey]?>(nil)
    /// The result inside of a write.
    private var follower = ResultFollower()
    /// The views of listeners, which are read instead of evaluating.
    var listenedViews = ListenedViews<MaintainedView>()
    /// The accessor that was handed out last, to be used again if nobody kept it.
    @exclusivity(unchecked) private var accessor: ObjectBase?
    /// The leaf that was last read by position.
    @exclusivity(unchecked) private var leaf: (stamp: Stamp, leaf: Table.LocatedLeaf)?

    private init(_ instance: RealmInstance, _ source: Source, _ query: RowQuery) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        born = instance.reader[ReaderState.generation]
        self.source = source
        self.query = query
        elements =
            switch source {
            case .table(let context): context
            case .collection(let reference): reference.context.elements
            case .linking(let target): target.originContext
            }
        isWholeTable = query.isWholeTable
        isTracked = elements?.info.isObservable == true && !instance.isFrozen
    }

    /// All objects of a class.
    convenience init(_ context: TableContext) {
        self.init(context.instance, .table(context), RowQuery(.table(context.table)))
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
        self.init(reference.instance, .collection(reference), RowQuery(source))
    }

    /// The objects that link to one.
    convenience init(_ target: LinkTarget) {
        let origins = Origins(
            table: target.originContext.table, column: target.originColumn, backlinks: target.backlinks)
        self.init(target.instance, .linking(target), RowQuery(.origins(origins, of: target.key)))
    }

    private func with(_ query: RowQuery) -> QueryState { QueryState(instance, source, query) }

    /// What tells whether something that was worked out is still what the realm shows.
    var stamp: Stamp {
        Stamp(
            generation: instance.reader[ReaderState.generation],
            mutations: instance.reader[ReaderState.mutations])
    }

    /// Whether the results are no longer valid. Results of objects are valid when the owner of their collection is deleted, and empty.
    var isInvalidated: Bool {
        if elements != nil, case .collection = source { return instance.isInvalidated(born) }
        return isSourceGone
    }

    /// Whether the collection of which the results are is gone, and with it all elements.
    var isSourceGone: Bool {
        if instance.isInvalidated(born) { return true }
        switch source {
        case .table: return false
        case .collection(let reference): return reference.isInvalidated
        case .linking(let target): return target.isInvalidated
        }
    }

    /// The same query in another instance of the realm.
    func moved(to instanceOwner: InstanceOwner) -> QueryState { handedOver(instanceOwner.instance) }

    /// Makes the same query in another instance of the realm, without keeping this one.
    var handedOver: @Sendable (RealmInstance) -> QueryState {
        let query = query
        switch source {
        case .table(let context):
            let info = context.info
            return { QueryState($0, .table($0.context(of: info)), query) }
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
        if let elements { return QueryCompiler(context: elements).predicate(node) }
        guard case .collection(let reference) = source, let scalar = reference.property.type.scalar else {
            trap("Plain values come from a collection.")
        }
        return QueryCompiler(values: .scalar(scalar), instance.catalog).predicate(node)
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

    /// Called when the program reads the result.
    @inline(__always)
    func noteRead() { if isTracked { noteTrackedRead() } }

    // MARK: The result

    /// The observed view, if it is of what the realm shows now.
    private var view: MaintainedView? {
        guard !listenedViews.isEmpty, !instance.hasUncommittedChanges, !isSourceGone else {
            return nil
        }
        if let view = listenedViews.current() { return view }
        listenedViews.dropGone()
        return nil
    }

    var count: Int {
        instance.checkConfinement { "results" }
        if isSourceGone { return 0 }
        if isWholeTable { return instance.table(elements!.table).count }
        if let view { return view.count }
        if let followed { return followed.count }
        if instance.isFrozen || answerStamp == stamp { return rows.count }
        if let counted, counted.stamp == stamp { return counted.count }
        let count = query.count(instance.snapshot, instance.catalog)
        // Reading may have begun a read transaction.
        counted = (stamp, count)
        return count
    }

    /// Whether there are no elements: found without counting them.
    var isEmpty: Bool {
        instance.checkConfinement { "results" }
        if isSourceGone { return true }
        if isWholeTable || isKnown { return count == 0 }
        if let followed { return followed.count == 0 }
        if !instance.isFrozen, let counted, counted.stamp == stamp { return counted.count == 0 }
        return query.isEmpty(instance.snapshot, instance.catalog)
    }

    /// The key of the first element, found without evaluating what comes behind it if that can be.
    var firstKey: ObjectKey? {
        instance.checkConfinement { "results" }
        if isSourceGone { return nil }
        if isWholeTable || isKnown { return count == 0 ? nil : key(at: 0) }
        if let followed { return followed.count == 0 ? nil : followed.key(at: 0) }
        if case .found(let key) = query.firstKey(instance.snapshot, instance.catalog) { return key }
        return rows.first
    }

    /// The key of the last element, found without evaluating what comes before it if that can be.
    var lastKey: ObjectKey? {
        instance.checkConfinement { "results" }
        if isSourceGone { return nil }
        if isWholeTable || isKnown { return count == 0 ? nil : key(at: count - 1) }
        if let followed { return followed.count == 0 ? nil : followed.key(at: followed.count - 1) }
        if case .found(let key) = query.lastKey(instance.snapshot, instance.catalog) { return key }
        return rows.last
    }

    /// Whether the result is there and needs no evaluation.
    private var isKnown: Bool {
        if instance.isFrozen { return frozenAnswer.withLock { $0 != nil } }
        return answerStamp == stamp || view != nil
    }

    /// The result inside of a write, if it is one that follows the changes.
    private var followed: FollowedResult? {
        query.canBeFollowed && !instance.isFrozen ? follower.current(query, instance, stamp) : nil
    }

    /// The keys of the objects of the result; for plain values, their positions in the source.
    var rows: [ObjectKey] {
        instance.checkConfinement { "results" }
        if instance.isFrozen { return frozenRows }
        if answerStamp == stamp { return answer }
        answer = view?.keys ?? (isSourceGone ? nil : followed?.keys) ?? evaluate()
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
        isSourceGone ? [] : query.evaluate(instance.snapshot, instance.catalog)
    }

    /// The key at a position of the result. Traps if there is none.
    func key(at position: Int) -> ObjectKey {
        instance.checkConfinement { "results" }
        if let view {
            checkPosition(position, view.count)
            return view.key(at: position)
        }
        if isWholeTable { return locate(position).key }
        if !isSourceGone, answerStamp != stamp, let followed {
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

    /// The first position of an object in the result, or nil. O(log n) for a whole class and for observed results.
    func position(of key: ObjectKey) -> Int? {
        instance.checkConfinement { "results" }
        guard let elements, instance.table(elements.table).contains(key) else { return nil }
        if isWholeTable { return instance.table(elements.table).position(of: key) }
        guard let view else { return rows.firstIndex(of: key) }
        var first: Int?
        view.forEachPosition(of: key, instance.snapshot) { first = min($0, first ?? $0) }
        return first
    }

    /// The first position of the result whose element satisfies a condition, or nil. O(n).
    func firstPosition(_ node: QueryNode) -> Int? {
        instance.checkConfinement { "results" }
        let predicate = predicate(node)
        if isSourceGone { return nil }
        guard let elements else {
            guard case .collection(let reference) = source else { return nil }
            let values = reference.sequence
            return rows.firstIndex { predicate.holds(values.cell(at: Int($0))) }
        }
        let table = instance.table(elements.table)
        if isWholeTable {
            return predicate.firstRow(of: elements.table, instance.snapshot, instance.catalog)
                .map { table.position(of: $0) }
        }
        return rows.firstIndex { key in
            table.row(key).map { predicate.holds(instance.snapshot, $0) } ?? false
        }
    }

    // MARK: Whole tables

    /// The object at a position of a whole table.
    func object(_ context: TableContext, at position: Int) -> ObjectBase {
        let (key, leaf, slot) = locate(position)
        if instance.isFrozen { return context.accessor(key, leaf, slot) }
        return context.accessor(reusing: &accessor, key, leaf, slot)
    }

    /// The leaf and slot of a position of a whole table.
    private func locate(_ position: Int) -> (key: ObjectKey, leaf: Leaf, slot: Int) {
        let stamp = stamp
        if !instance.isFrozen, let (known, leaf) = leaf, known == stamp, position >= leaf.start,
            position < leaf.start + leaf.count
        {
            return place(position, leaf)
        }
        let table = instance.table(elements!.table)
        checkPosition(position, count)
        let found = table.leafContaining(position)
        if !instance.isFrozen { leaf = (self.stamp, found) }
        return place(position, found)
    }

    @inline(__always)
    private func place(_ position: Int, _ leaf: Table.LocatedLeaf) -> (key: ObjectKey, leaf: Leaf, slot: Int)
    {
        let (key, slot) = leaf.row(at: position)
        return (key, leaf.leaf, slot)
    }
}
