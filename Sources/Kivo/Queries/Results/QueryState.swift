import KivoEngine

/// The state of results: a source, a query, and the evaluated result once it was needed.
///
/// Confined with its realm instance, which it keeps alive.
@usableFromInline
final class QueryState {
    /// The collection from which the elements are read.
    enum Source {
        case table(TableContext)
        case collection(CollectionReference)
        case linking(LinkTarget)
    }

    /// The result in a frozen realm: evaluated, or in the order of the view that a listener of the live results has.
    private enum FrozenAnswer: Sendable {
        case keys([ObjectKey])
        case order(FrozenOrder)
    }

    struct Stamp: Equatable {
        var generation: UInt64
        var mutations: UInt64
    }

    let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    /// The reader's generation when the query was created. `invalidate()` invalidates the queries of earlier generations.
    private let creationGeneration: UInt64
    let source: Source
    let query: RowQuery
    /// The class of the elements; nil for plain values.
    let elements: TableContext?
    /// Whether the result is all rows of a table in the table's order, which needs no evaluation.
    let isWholeTable: Bool

    /// Whether reads of the result are recorded inside `withObservationTracking`, and the objects that record them.
    let isTracked: Bool
    var trackedParts = TrackedParts()
    /// The numbers of the result that were asked for.
    private var numbers: [NumberKind: NumberState] = [:]
    private var answer: [ObjectKey] = []
    private var answerStamp: Stamp?
    /// The first element, if only this was searched.
    private var first: (stamp: Stamp, key: ObjectKey?)?
    /// The number of elements, if they were only counted.
    private var counted: (stamp: Stamp, count: Int)?
    /// The result in a frozen realm, which many threads may read.
    private let frozenAnswer = Lock<FrozenAnswer?>(nil)
    /// The result inside a write transaction.
    private var follower = ResultFollower()
    /// The views of listeners, which are read instead of evaluating the query.
    var listenedViews = ListenedViews<MaintainedView>()
    /// The accessor that was returned last, which is reused if the app has released it.
    @exclusivity(unchecked) private var accessor: ObjectBase?
    /// The leaf of the last read by position.
    @exclusivity(unchecked) private var leaf: (generation: UInt64, stamp: Stamp, leaf: Table.LocatedLeaf)?

    private init(_ instance: RealmInstance, _ source: Source, _ query: RowQuery) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        creationGeneration = instance.reader.pointee.generation
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

    /// Creates the query for all objects of a class.
    convenience init(_ context: TableContext) {
        self.init(context.instance, .table(context), RowQuery(.table(context.table)))
    }

    /// Creates the query for the elements of a list or set.
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

    /// Creates the query for the objects that link to an object.
    convenience init(_ target: LinkTarget) {
        let origins = Origins(
            table: target.originContext.table, column: target.originColumn, backlinks: target.backlinks)
        self.init(target.instance, .linking(target), RowQuery(.origins(origins, of: target.key)))
    }

    func with(_ query: RowQuery) -> QueryState { QueryState(instance, source, query) }

    /// The stamp of the data that the realm shows now. A cached result is valid while its stamp equals this one; not so the addresses
    /// of rows, for which the reader's generation counts.
    var stamp: Stamp {
        Stamp(
            generation: instance.reader.pointee.generation - instance.reader.pointee.evictions,
            mutations: instance.reader.pointee.mutations)
    }

    /// Whether the results are no longer valid. If the owner of their collection is deleted, or the object that linking objects link
    /// to, results of objects stay valid, and are empty.
    var isInvalidated: Bool {
        elements == nil ? isSourceGone : instance.isInvalidated(creationGeneration)
    }

    /// Whether the source collection no longer exists, and with it all elements.
    var isSourceGone: Bool {
        if instance.isInvalidated(creationGeneration) { return true }
        switch source {
        case .table: return false
        case .collection(let reference): return reference.isInvalidated
        case .linking(let target): return target.isInvalidated
        }
    }

    /// Returns this query for another instance of the realm. What is known of the result is passed on to a frozen one.
    func moved(to instanceOwner: InstanceOwner) -> QueryState {
        let other = instanceOwner.instance
        let moved = handedOver(other)
        if other.isFrozen, !instance.isFrozen, !isWholeTable, !instance.hasUncommittedChanges,
            other.dataVersion == instance.dataVersion, let answer = knownAnswer
        {
            moved.frozenAnswer.withLock { $0 = answer }
        }
        return moved
    }

    /// Returns this query for a frozen instance of the realm, with the order of its result there if it is known.
    func moved(to frozen: RealmInstance, _ order: FrozenOrder?) -> QueryState {
        let moved = handedOver(frozen)
        if let order { moved.frozenAnswer.withLock { $0 = .order(order) } }
        return moved
    }

    private var knownAnswer: FrozenAnswer? {
        if let order = view?.frozenOrder { return .order(order) }
        return answerStamp == stamp ? .keys(answer) : nil
    }

    /// A closure that creates this query for another instance of the realm. It does not retain this instance.
    var handedOver: @Sendable (RealmInstance) -> QueryState {
        let query = query
        switch source {
        case .table(let context):
            let info = context.info
            return { QueryState($0, .table($0.classes.context(of: info)), query) }
        case .collection(let reference):
            let handover = reference.handover
            return { QueryState($0, .collection(handover($0)), query) }
        case .linking(let target):
            let handover = LinkTarget.handover(target)
            return { QueryState($0, .linking(handover($0)), query) }
        }
    }

    // MARK: Queries on top

    /// Returns the query with an additional condition.
    func filtered(_ node: QueryNode) -> QueryState {
        checkSteps()
        return with(query.filtered(predicate(node)))
    }

    /// Traps if elements were kept by their positions.
    private func checkSteps() {
        guard query.window != nil else { return }
        trap(
            """
            Results of 'first(_:)', 'dropFirst(_:)' or LIMIT take no further conditions, orders, sections or 'distinct(by:)': filter and \
            sort before.
            """)
    }

    /// Returns the query for the first elements of the result.
    func prefix(_ maxLength: Int) -> QueryState {
        QueryState.checkNumber(maxLength)
        return with(query.within((query.window ?? ResultWindow()).prefix(maxLength)))
    }

    /// Returns the query for all but the first elements of the result.
    func dropping(_ count: Int) -> QueryState {
        QueryState.checkNumber(count)
        return with(query.within((query.window ?? ResultWindow()).dropping(count)))
    }

    private static func checkNumber(_ number: Int) {
        if number < 0 { trap("A number of elements cannot be negative: \(number).") }
    }

    private func predicate(_ node: QueryNode) -> RowPredicate {
        QueryMismatch.trapping { () throws(QueryMismatch) in try compiled(node) }
    }

    /// Returns the predicate of a condition. Throws if it does not fit the elements.
    func compiled(_ node: QueryNode) throws(QueryMismatch) -> RowPredicate {
        if let elements { return try QueryCompiler(RowScope(elements)).predicate(node) }
        guard case .collection(let reference) = source, let scalar = reference.property.type.scalar else {
            trap("Plain values come from a collection.")
        }
        let scope = ElementScope(type: scalar, catalog: instance.catalog, store: instance.store)
        return try QueryCompiler(scope).predicate(node)
    }

    /// Returns the query in another order; equal elements keep their previous order.
    func sorted(_ descriptors: [SortDescriptor]) -> QueryState {
        if descriptors.isEmpty { return with(query) }
        checkSteps()
        return with(query.followed(by: .sort(descriptors.map { trappingSortKey($0.keyPath, $0.ascending) })))
    }

    /// Returns the query with only the first element of each group that is equal in all of some key paths.
    func distinct(_ keyPaths: [String]) -> QueryState {
        if keyPaths.isEmpty { return with(query) }
        checkSteps()
        return with(query.followed(by: .distinct(keyPaths.map { trappingSortKey($0, true) })))
    }

    private func trappingSortKey(_ keyPath: String, _ ascending: Bool) -> SortKey {
        QueryMismatch.trapping { () throws(QueryMismatch) in try sortKey(keyPath, ascending) }
    }

    /// Returns the key by which a key path sorts or groups the elements. Throws if it does not fit them.
    func sortKey(_ keyPath: String, _ ascending: Bool) throws(QueryMismatch) -> SortKey {
        if let elements { return try RowScope(elements).sortKey(keyPath, ascending: ascending) }
        guard keyPath == "self", case .collection(let reference) = source else {
            throw QueryMismatch("Plain values are sorted and made distinct by 'self', not by '\(keyPath)'.")
        }
        return SortKey(nil, reference.property.order, isAscending: ascending)
    }

    /// Records a read of a part of the result by the app, if its reads are recorded.
    ///
    /// - Parameter reach: for positions, the number of elements up to the last one that was read.
    @inline(__always)
    func noteRead(of part: OrderPart, reach: Int = 0) {
        if isTracked { noteTrackedRead(of: part, reach: reach) }
    }

    /// Records a read of a number of the result by the app, if its reads are recorded.
    @inline(__always)
    func noteRead(of kind: NumberKind) { if isTracked { noteTrackedRead(of: kind) } }

    /// Returns a number of the result. A frozen result may be used by many threads, so that it shares none.
    func number(_ kind: NumberKind) -> NumberState {
        if instance.isFrozen { return NumberState(kind, self) }
        if let known = numbers[kind] { return known }
        let made = NumberState(kind, self)
        numbers[kind] = made
        return made
    }

    // MARK: The result

    /// The view of a listener, if it shows what the realm shows now.
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
        if let count = numbers[.count]?.listened(instance) { return Int(cell: count) }
        if let followed { return followed.count }
        if let frozenOrder { return frozenOrder.count }
        if instance.isFrozen || answerStamp == stamp { return rows.count }
        if let counted, counted.stamp == stamp { return counted.count }
        let count = recordingScan { query.count(instance.snapshot, instance.catalog) }
        // Read the stamp only after counting, which may have begun a read transaction.
        counted = (stamp, count)
        return count
    }

    /// Whether there are no elements, determined without counting them.
    var isEmpty: Bool {
        instance.checkConfinement { "results" }
        if isSourceGone { return true }
        if isWholeTable || isKnown { return count == 0 }
        if let followed { return followed.count == 0 }
        if !instance.isFrozen, let counted, counted.stamp == stamp { return counted.count == 0 }
        return query.isEmpty(instance.snapshot, instance.catalog)
    }

    /// The key of the first element. If possible, the elements after it are not evaluated.
    var firstKey: ObjectKey? {
        instance.checkConfinement { "results" }
        if isSourceGone { return nil }
        if isWholeTable || isKnown { return count == 0 ? nil : key(at: 0) }
        if let followed { return followed.count == 0 ? nil : followed.key(at: 0) }
        if let first, first.stamp == stamp, !instance.isFrozen { return first.key }
        guard case .known(let key) = query.firstKey(instance.snapshot, instance.catalog) else {
            return rows.first
        }
        // Read the stamp only after the search, which may have begun a read transaction.
        if !instance.isFrozen { first = (stamp, key) }
        return key
    }

    /// The key of the last element. If possible, the elements before it are not evaluated.
    var lastKey: ObjectKey? {
        instance.checkConfinement { "results" }
        if isSourceGone { return nil }
        if isWholeTable || isKnown { return count == 0 ? nil : key(at: count - 1) }
        if let followed { return followed.count == 0 ? nil : followed.key(at: followed.count - 1) }
        if case .known(let key) = query.lastKey(instance.snapshot, instance.catalog) { return key }
        return rows.last
    }

    /// Whether the result is cached and needs no evaluation.
    private var isKnown: Bool {
        if instance.isFrozen { return frozenAnswer.withLock { $0 != nil } }
        return answerStamp == stamp || view != nil
    }

    /// The result inside a write transaction, if it is updated incrementally.
    private var followed: FollowedResult? {
        query.canBeFollowed && !instance.isFrozen ? follower.current(query, instance, stamp) : nil
    }

    /// The keys of the result's objects; for plain values, their positions in the source.
    var rows: [ObjectKey] {
        instance.checkConfinement { "results" }
        if instance.isFrozen { return frozenRows }
        if answerStamp == stamp { return answer }
        answer = view?.keys ?? (isSourceGone ? nil : followed?.keys) ?? evaluate()
        answerStamp = stamp
        return answer
    }

    private var frozenRows: [ObjectKey] {
        let known = frozenAnswer.withLock { $0 }
        if case .keys(let keys)? = known { return keys }
        let rows = if case .order(let order)? = known { order.keys } else { evaluate() }
        frozenAnswer.withLock { $0 = .keys(rows) }
        return rows
    }

    /// The result in a frozen realm, as long as it was only read by position.
    private var frozenOrder: FrozenOrder? {
        guard instance.isFrozen, case .order(let order)? = frozenAnswer.withLock({ $0 }) else { return nil }
        return order
    }

    private func evaluate() -> [ObjectKey] {
        isSourceGone ? [] : recordingScan { query.evaluate(instance.snapshot, instance.catalog) }
    }

    /// Returns the key at a position of the result. Traps if the position is out of range.
    func key(at position: Int) -> ObjectKey {
        instance.checkConfinement { "results" }
        instance.evictIfDue()
        if let view {
            checkPosition(position, view.count)
            return view.key(at: position)
        }
        if isWholeTable { return locate(position).key }
        if !isSourceGone, answerStamp != stamp, let followed {
            checkPosition(position, followed.count)
            return followed.key(at: position)
        }
        if let frozenOrder {
            checkPosition(position, frozenOrder.count)
            return frozenOrder.key(at: position)
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

    /// Returns the first position of an object in the result, or nil if there is none. O(log n) for a whole class and for
    /// observed results, otherwise O(n).
    func position(of key: ObjectKey) -> Int? {
        instance.checkConfinement { "results" }
        guard let elements, instance.table(elements.table).contains(key) else { return nil }
        if isWholeTable { return instance.table(elements.table).position(of: key) }
        guard let view else { return rows.firstIndex(of: key) }
        var first: Int?
        view.forEachPosition(of: key, instance.snapshot) { first = min($0, first ?? $0) }
        return first
    }

    /// Returns the first position whose element satisfies a condition, or nil if there is none. O(n).
    func firstPosition(_ node: QueryNode) -> Int? {
        instance.checkConfinement { "results" }
        let predicate = predicate(node)
        if isSourceGone { return nil }
        guard let elements else {
            guard case .collection(let reference) = source else { return nil }
            let values = reference.sequence
            return rows.firstIndex { predicate.holds(values.cell(at: Int($0)), instance.snapshot) }
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

    /// Returns the object at a position of a whole table.
    func object(_ context: TableContext, at position: Int) -> ObjectBase {
        let (key, leaf, slot) = locate(position)
        if instance.isFrozen { return context.accessor(key, leaf, slot) }
        return context.accessor(reusing: &accessor, key, leaf, slot)
    }

    /// Returns the key, leaf and slot at a position of a whole table.
    private func locate(_ position: Int) -> (key: ObjectKey, leaf: Leaf, slot: Int) {
        if !instance.isFrozen, let (generation, stamp, leaf) = leaf,
            generation == instance.reader.pointee.generation, stamp == self.stamp, position >= leaf.start,
            position < leaf.start + leaf.count
        {
            return row(at: position, in: leaf)
        }
        instance.evictIfDue()
        let table = instance.table(elements!.table)
        checkPosition(position, count)
        let located = table.leafContaining(position)
        if !instance.isFrozen { leaf = (instance.reader.pointee.generation, stamp, located) }
        return row(at: position, in: located)
    }

    @inline(__always)
    private func row(at position: Int, in leaf: Table.LocatedLeaf) -> (key: ObjectKey, leaf: Leaf, slot: Int)
    {
        let (key, slot) = leaf.row(at: position)
        return (key, leaf.leaf, slot)
    }
}
