/// The identity of a list, set or map of an object: the object and its column.
@usableFromInline package struct CollectionID: Hashable, Sendable, Comparable {
    /// The table of the owner.
    @usableFromInline package var table: TableID
    /// The column of the owner that holds the collection.
    @usableFromInline package var column: Int
    /// The owner.
    @usableFromInline package var key: ObjectKey

    /// Creates the identity of a collection from its owner and column.
    @usableFromInline package init(table: TableID, column: Int, key: ObjectKey) {
        self.table = table
        self.column = column
        self.key = key
    }

    /// Orders collections by table, owner and column.
    @usableFromInline package static func < (a: CollectionID, b: CollectionID) -> Bool {
        (a.table, a.key, a.column) < (b.table, b.key, b.column)
    }
}

/// The changes of one or several commits, between the version before the first and the version after the last.
///
/// Change sets compose: an object that was inserted and deleted in between is not in the composition, nor are intermediate
/// values. Change sets contain no values: old ones are in the old snapshot, new ones in the new.
@usableFromInline package struct RowChangeSet: Sendable {
    /// The changed tables, ascending by id.
    package var tables: [TableChange]
    /// The changed tables of backlinks, ascending by id: the rows whose set of origins changed. They can be derived from the
    /// links in ``tables``, and are stored to save callers that search.
    package var backlinks: [TableChange]
    /// The changes of lists, sets and maps of objects that exist before and after.
    package var sequences: [CollectionID: SequenceChange]

    #if DEBUG
    /// The number of changed leaves, sequences and runs that were visited to compose this change set. Tests measure growth by it.
    /// Counted in debug builds only.
    private(set) var work = 0
    #endif

    /// Creates an empty change set.
    package init() {
        tables = []
        backlinks = []
        sequences = [:]
    }

    /// A Boolean value that indicates whether nothing changed.
    package var isEmpty: Bool { tables.isEmpty && sequences.isEmpty }

    /// Returns the change of a table, or nil if the table did not change. O(log tables).
    package func table(_ id: TableID) -> TableChange? { RowChangeSet.find(id, tables) }

    /// Returns the change of a table of backlinks, or nil if the table did not change. O(log tables).
    package func backlinks(_ id: TableID) -> TableChange? { RowChangeSet.find(id, backlinks) }

    private static func find(_ id: TableID, _ tables: [TableChange]) -> TableChange? {
        let index = tables.partitionPoint { $0.table < id }
        return index < tables.count && tables[index].table == id ? tables[index] : nil
    }

    /// Composes consecutive change sets. Pairs are composed first, then pairs of pairs, so that each changed leaf of n change
    /// sets is visited O(log n) times.
    package init(composing sets: [RowChangeSet]) { self = RowChangeSet.composed(sets[...]) }

    private static func composed(_ sets: ArraySlice<RowChangeSet>) -> RowChangeSet {
        if sets.count < 2 { return sets.first ?? RowChangeSet() }
        let middle = sets.startIndex + sets.count / 2
        var composed = composed(sets[..<middle])
        composed.append(RowChangeSet.composed(sets[middle...]))
        return composed
    }

    /// Appends a later change set: `self` goes from version a to b, `next` from b to c. O(changed leaves and sequences of both).
    package mutating func append(_ next: RowChangeSet) {
        if next.isEmpty, next.backlinks.isEmpty { return }
        if isEmpty {
            self = next
            return
        }
        countWork(next)
        let isDeleting = next.tables.contains { $0.leaves.contains { !$0.deleted.isEmpty } }
        for (id, change) in next.sequences where table(id.table)?.state(of: id.key) != .inserted {
            if sequences[id] == nil { sequences[id] = change } else { sequences[id]!.append(change) }
        }
        // Sequences of inserted and deleted objects have no changes: their readers see that the object itself was inserted or
        // deleted.
        if isDeleting {
            for id in Array(sequences.keys) where next.table(id.table)?.state(of: id.key) == .deleted {
                sequences[id] = nil
            }
        }
        merge(next.tables, into: &tables, { $0.table < $1.table }) { $0.append($1) }
        merge(next.backlinks, into: &backlinks, { $0.table < $1.table }) { $0.append($1) }
    }

    private mutating func countWork(_ next: RowChangeSet) {
        #if DEBUG
        work += next.work
        for changes in [self, next] {
            for table in changes.tables + changes.backlinks { work += table.leaves.count }
            for change in changes.sequences.values { work += 1 + change.runCount }
        }
        #endif
    }
}

/// The changes of the objects of one table.
@usableFromInline package struct TableChange: Sendable {
    /// The kind of change of one object.
    @usableFromInline package enum State: Sendable { case untouched, inserted, deleted, modified }

    /// The table.
    package var table: TableID
    /// The changed blocks of keys, ascending.
    package var leaves: [LeafChange]

    /// Returns the change of the block that contains a key, or nil if the block did not change. O(log leaves).
    package func leaf(of key: ObjectKey) -> LeafChange? {
        let block = KeyBlock(of: key)
        let index = leaves.partitionPoint { $0.block < block }
        return index < leaves.count && leaves[index].block == block ? leaves[index] : nil
    }

    /// Returns the kind of change of an object. O(log leaves).
    package func state(of key: ObjectKey) -> State {
        guard let leaf = leaf(of: key) else { return .untouched }
        let slot = KeyBlock.offset(of: key)
        if leaf.inserted.contains(slot) { return .inserted }
        if leaf.deleted.contains(slot) { return .deleted }
        return leaf.columns.contains { $0.slots.contains(slot) } ? .modified : .untouched
    }

    /// Returns the columns that were assigned in an object that exists before and after, ascending.
    package func modifiedColumns(of key: ObjectKey) -> [Int] {
        guard let leaf = leaf(of: key) else { return [] }
        let slot = KeyBlock.offset(of: key)
        if leaf.inserted.contains(slot) || leaf.deleted.contains(slot) { return [] }
        return leaf.columns.filter { $0.slots.contains(slot) }.map { $0.column }
    }

    /// The number of objects that were inserted, deleted or modified. O(leaves).
    package var count: Int { leaves.reduce(0) { $0 + $1.touched.count } }

    /// Calls `body` with each inserted key, ascending.
    package func forEachInserted(_ body: (ObjectKey) -> Void) {
        for leaf in leaves { leaf.inserted.forEach { body(leaf.block.key(at: $0)) } }
    }

    /// Calls `body` with each deleted key, ascending.
    package func forEachDeleted(_ body: (ObjectKey) -> Void) {
        for leaf in leaves { leaf.deleted.forEach { body(leaf.block.key(at: $0)) } }
    }

    /// Calls `body` with each key that was modified in one of the columns, or in any column if nil, ascending.
    package func forEachModified(in columns: Set<Int>? = nil, _ body: (ObjectKey) -> Void) {
        for leaf in leaves {
            leaf.modified(in: columns).forEach { body(leaf.block.key(at: $0)) }
        }
    }

    /// Calls `body` with each key that was inserted, deleted, or modified in one of the columns (any column if nil), ascending.
    package func forEachTouched(in columns: Set<Int>? = nil, _ body: (ObjectKey) -> Void) {
        for leaf in leaves { leaf.touched(in: columns).forEach { body(leaf.block.key(at: $0)) } }
    }

    /// Adds the changes of a transaction's next rows. Several leaves of rows can contribute to one block of 256 keys.
    mutating func add(_ leaf: LeafChange) {
        guard var last = leaves.popLast() else { return leaves.append(leaf) }
        if last.block == leaf.block {
            last.append(leaf)
            leaves.append(last)
        } else {
            leaves.append(last)
            leaves.append(leaf)
        }
    }

    mutating func append(_ next: TableChange) {
        merge(next.leaves, into: &leaves, { $0.block < $1.block }) { $0.append($1) }
    }
}

/// The changes of the objects with 256 neighbouring keys. They are bitmaps over the offsets of keys in their block, called slots
/// here, regardless of how rows are placed in memory.
package struct LeafChange: Sendable {
    /// The slots in which a column was assigned.
    package struct Column: Sendable {
        /// The column.
        package var column: Int
        /// The slots in which the column was assigned.
        package var slots: Bits256
    }

    /// The block of keys that the bitmaps cover.
    package var block: KeyBlock
    /// The slots of inserted rows.
    package var inserted: Bits256
    /// The slots of deleted rows.
    package var deleted: Bits256
    /// The assigned columns, ascending. Their slots exclude inserted and deleted rows.
    package var columns: [Column]

    /// Returns the slots that were modified in one of the columns, or in any column if nil.
    package func modified(in filter: Set<Int>? = nil) -> Bits256 {
        var union = Bits256()
        for column in columns where filter?.contains(column.column) ?? true { union = union | column.slots }
        return union
    }

    /// Returns the slots that were inserted, deleted, or modified in one of the columns (any column if nil).
    package func touched(in filter: Set<Int>? = nil) -> Bits256 { inserted | deleted | modified(in: filter) }

    /// The slots that were inserted, deleted or modified.
    package var touched: Bits256 { touched() }

    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && columns.isEmpty }

    mutating func append(_ next: LeafChange) {
        // A row of backlinks can be inserted again after its deletion, and then deleted again: it counts as deleted. Only a row
        // that did not exist at first vanishes from the change.
        let vanished = (inserted & next.deleted).subtracting(deleted)
        deleted = deleted | next.deleted.subtracting(inserted)
        inserted = inserted.subtracting(next.deleted) | next.inserted
        let hidden = inserted | deleted | vanished
        merge(next.columns, into: &columns, { $0.column < $1.column }) { $0.slots = $0.slots | $1.slots }
        if hidden.isEmpty { return }
        for index in columns.indices { columns[index].slots = columns[index].slots.subtracting(hidden) }
        columns.removeAll { $0.slots.isEmpty }
    }
}

/// Merges an ascending array into another, combining elements that are equal in order. O(n) in both. If both begin with the same
/// elements, which is common for commits with similar changes, these are combined in place.
private func merge<Element>(
    _ b: [Element], into a: inout [Element], _ precedes: (Element, Element) -> Bool,
    _ combine: (inout Element, Element) -> Void
) {
    var i = 0
    while i < min(a.count, b.count), !precedes(a[i], b[i]), !precedes(b[i], a[i]) {
        combine(&a[i], b[i])
        i += 1
    }
    if i == b.count { return }
    var j = i
    var merged = Array(a[..<i])
    merged.reserveCapacity(a.count + b.count - i)
    while i < a.count, j < b.count {
        if precedes(a[i], b[j]) {
            merged.append(a[i])
            i += 1
        } else if precedes(b[j], a[i]) {
            merged.append(b[j])
            j += 1
        } else {
            var element = a[i]
            combine(&element, b[j])
            merged.append(element)
            i += 1
            j += 1
        }
    }
    merged.append(contentsOf: a[i...])
    merged.append(contentsOf: b[j...])
    a = merged
}

extension RowChangeSet {
    /// Creates the change from an empty state to a version: every row is inserted. O(leaves).
    package init(inserting snapshot: Snapshot, _ catalog: Catalog) {
        self.init()
        for table in catalog.tables.indices where !catalog.tables[table].isDerived {
            var change = TableChange(table: table, leaves: [])
            snapshot.table(table).forEachLeaf { leaf in
                change.add(
                    LeafChange(
                        block: leaf.block, inserted: leaf.keyBits(of: leaf.occupied), deleted: Bits256(),
                        columns: []))
                return true
            }
            if snapshot.table(table).nextKey > 1 { tables.append(change) }
        }
    }
}

extension RowChangeSet {
    /// The inverse change set, from the version after the changes to the one before. O(changed leaves and runs).
    package var inverse: RowChangeSet {
        var inverse = self
        inverse.tables = tables.map { $0.inverse }
        inverse.backlinks = backlinks.map { $0.inverse }
        inverse.sequences = sequences.mapValues { $0.inverse }
        return inverse
    }
}

extension TableChange {
    fileprivate var inverse: TableChange {
        var inverse = self
        inverse.leaves = leaves.map { leaf in
            var leaf = leaf
            swap(&leaf.inserted, &leaf.deleted)
            return leaf
        }
        return inverse
    }
}

extension SequenceChange {
    /// The inverse change: inserted elements are removed, removed ones are inserted, and all others return to their former
    /// positions.
    @usableFromInline package var inverse: SequenceChange {
        var kept: [(from: Int, run: Run)] = []
        var position = 0
        for run in runs {
            if !run.isNew {
                var back = run
                back.origin = position
                kept.append((from: run.origin, run: back))
            }
            position += run.count
        }
        kept.sort { $0.from < $1.from }
        var inverse: [Run] = []
        var end = 0
        for (from, run) in kept {
            if from > end { inverse.append(Run(origin: Run.new, count: from - end)) }
            inverse.append(run)
            end = from + run.count
        }
        if oldCount > end { inverse.append(Run(origin: Run.new, count: oldCount - end)) }
        return SequenceChange(
            oldCount: newCount, runs: inverse, isCleared: inverse.isEmpty && newCount > 0,
            hasInserted: oldCount > end)!
    }
}
